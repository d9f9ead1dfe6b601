"""expected.py FILE: prints "--ids I,... --tokens N" for the prompt and the length of an expectation.
expected.py FILE IDS LOGITS.npy TOLERANCE: compares the ids nstf-run printed and its logits, and says how far they are.

By the standard library alone."""
import ast
import json
import struct
import sys

with open(sys.argv[1]) as file:
    expected = json.load(file)
greedy, prompt = expected["greedy_ids"], expected["prompt_ids"]
if len(sys.argv) == 2:
    print("--ids", ",".join(map(str, prompt)), "--tokens", len(greedy) - len(prompt))
    sys.exit()

with open(sys.argv[2]) as file:
    ids = [int(word) for word in file.read().split()]
with open(sys.argv[3], "rb") as file:
    content = file.read()
length = struct.unpack("<H", content[8:10])[0]
rows, width = ast.literal_eval(content[10 : 10 + length].decode())["shape"]
values = struct.unpack("<%df" % (rows * width), content[10 + length :])


def error(row, reference):
    return max(abs(a - b) for a, b in zip(values[row * width : (row + 1) * width], reference, strict=True))


errors = [error(rows - 1, expected["logits_last_position"])]
if len(prompt) == 1:  # then the first rows are the first positions
    errors += [error(row, reference) for row, reference in enumerate(expected["logits_first_positions"])]
print("ids", "equal" if ids == greedy else f"differ: {ids}")
print(f"{rows} rows of logits, largest error {max(errors):.2e}")
sys.exit(0 if ids == greedy and max(errors) < float(sys.argv[4]) else 1)
