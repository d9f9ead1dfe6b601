"""Compares a run of nstf-run with an expected.json: compare_run.py EXPECTED.json STDOUT [LOGITS.npy].

STDOUT is what `nstf-run --print-ids` wrote: one of its lines must be the expected ids, exactly. LOGITS.npy holds the
float32 logits of the last step (`--print-logits`), which must be within 1e-4 of the expected ones.
"""
import json
import sys

import numpy

expected = json.load(open(sys.argv[1]))
lines = open(sys.argv[2]).read().splitlines()
wanted = " ".join(map(str, expected["greedy_ids"]))
if wanted not in lines:
    printed = max(lines, key=lambda line: sum(word.isdigit() for word in line.split()), default="")
    sys.exit(f"expected the ids\n{wanted}\nbut got\n{printed}")
message = f"{len(expected['greedy_ids'])} ids as expected"
if len(sys.argv) > 3:
    logits = numpy.load(sys.argv[3]).astype(numpy.float64).reshape(-1, len(expected["logits_last_position"]))
    error = numpy.abs(logits[-1] - expected["logits_last_position"]).max()
    if not error < 1e-4:
        sys.exit(f"the last logits are off by {error}")
    message += f", last logits within {error:.1e}"
print(message)
