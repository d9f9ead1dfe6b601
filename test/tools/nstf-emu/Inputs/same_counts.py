"""same_counts.py SCHEMA UNTIMED TIMED: whether two reports count the same of their launches."""
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1]))
untimed, timed = (json.load(open(file)) for file in sys.argv[2:])
for report in (untimed, timed):
    jsonschema.Draft202012Validator(schema).validate(report)
for before, after in zip(untimed["launches"], timed["launches"], strict=True):
    if len(after.pop("predictions")) == 0:
        sys.exit("expected a prediction")
    for launch in (before, after):
        del launch["emulator_seconds"]
    for key in before.keys() | after.keys():
        if before.get(key) != after.get(key):
            sys.exit(f"{key}: expected {before.get(key)} but got {after.get(key)}")
print(len(timed["launches"]), "launches: the same")
