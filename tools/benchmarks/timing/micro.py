"""The model against the numbers it is made of: one kernel in assembly for each constant and table.

Prints constant, source's value, predicted value and error; exit status 1 where one is beyond its limit (MFMA and VALU 3 %,
LDS and latencies 5 %, bandwidths and dispatch 10 %). What no source has verified is marked [U] and only printed."""

import argparse
import pathlib
import subprocess
import sys

from benchmarks.timing.shared import programs

CHIPS = ["mi300x", "mi250x"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chips", nargs="*", default=CHIPS, help=f"built-in chips or FILE.yaml; default: {', '.join(CHIPS)}")
    parser.add_argument("--rows", default="", help="only the benchmarks whose name holds this")
    programs.add_build_option(parser)
    arguments = parser.parse_args()
    program = programs.find(arguments.build, "bench-timing-micro")
    failed = 0
    for chip in arguments.chips:
        kernels = programs.code_objects(arguments.build, chip, ["micro"])
        failed |= subprocess.run([program, chip, *kernels, arguments.rows]).returncode
    sys.exit(failed)


if __name__ == "__main__":
    main()
