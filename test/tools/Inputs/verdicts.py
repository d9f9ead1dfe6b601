"""verdicts.py TOOLS: what `bench kernels --uncertain` takes of plans a and b, whose times are given: where they turn, the
one that is taken, and why."""
import sys

sys.path.insert(0, sys.argv[1])
from benchmarks.kernels.choices import verdict  # noqa: E402

FASTER_AT_BEST = {"": 100, "x 1": 99, "x 2": 120}
print(*verdict({"a": FASTER_AT_BEST, "b": {"": 102, "x 1": 103, "x 2": 104}}), sep="\n")
print(*verdict({"a": FASTER_AT_BEST, "b": {"": 104, "x 1": 105, "x 2": 106}}), sep="\n")
print(*verdict({"a": {"": 100, "x 1": 101}, "b": {"": 200, "x 1": 201}}), sep="\n")
