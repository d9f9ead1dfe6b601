"""Prints as JSON in what configurations the emulator's tests compile their Triton kernels; run by with_packages.py.

    spaces.py TARGET

A configuration: {kernel, types: {parameter: type of its array}, constants, options}. Constants that aren't numbers or
truth values are left out."""
import json
import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[3] / "test" / "runtime" / "emulator" / "triton")]
import cases  # noqa: E402
from floats import type_of  # noqa: E402


def main():
    found = []
    for case in cases.all_cases():
        if sys.argv[1] not in case["chips"]:
            continue
        found.append({"kernel": case["kernel"].__name__, "options": case["options"],
                      "types": {name: type_of(value) for name, value in case["arguments"].items()
                                if value is not None and not isinstance(value, tuple)},
                      "constants": {name: value for name, value in case["constants"].items() if isinstance(value, (int, bool))}})
    print(json.dumps(found))


if __name__ == "__main__":
    main()
