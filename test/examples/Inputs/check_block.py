"""check_block.py REPORT.json LIMIT: every output and state of every target within LIMIT of its reference's largest number."""

import json
import sys

limit, passes = float(sys.argv[2]), True
for target in json.load(open(sys.argv[1])):
    if "error" in target:
        sys.exit(f"{target['target']}: {target['error']}")
    compared = [line for line in target["compared"] if line["kind"] != "kernel"]
    assert [line["name"] for line in compared] == ["y", "k_cache", "v_cache"], compared
    for line in compared:
        assert line["largest"] > 0.1, line  # of the size of its inputs
        relative = float("inf") if line["error"] is None else line["error"] / line["largest"]
        print(f"{target['target']} {line['name']}: {relative:.2e} of {line['largest']:.3g}")
        passes &= relative <= limit
    matrix = sum(kernel["matrix"] for kernel in target["executed"])
    seconds = sum(kernel["hostSeconds"] for kernel in target["executed"])
    print(f"{target['target']}: {matrix:,} matrix instructions, {seconds:.2f} s on the emulator")
    assert matrix > 0
sys.exit(0 if passes else f"expected at most {limit} of the reference's largest number")
