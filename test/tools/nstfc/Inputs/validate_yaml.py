"""validate_yaml.py SCHEMA FOLDER: validates the YAML files of a folder against a schema in JSON, and counts them."""
import json
import pathlib
import sys

import jsonschema
import yaml

schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
files = list(pathlib.Path(sys.argv[2]).glob("*.yaml"))
for file in files:
    jsonschema.validate(yaml.safe_load(file.read_text()), schema)
print(len(files), "valid")
