"""report.py SCHEMA REPORT EXPRESSION...: validates a report against its schema, then prints each expression of `r`."""
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1]))
r = json.load(open(sys.argv[2]))
jsonschema.Draft202012Validator.check_schema(schema)
for error in jsonschema.Draft202012Validator(schema).iter_errors(r):
    raise SystemExit(f"{error.json_path}: {error.message}")
for expression in sys.argv[3:]:
    print(expression, "=", eval(expression))
