"""Predicted times of published kernels beside what silicon took (points.tsv), and beside two baselines.

Exit status 1 unless, over the points that took longer than twice a launch and averaged per kernel first, the error is at
most 20 % in the mean and 12 % in the median, the mean absolute log error at most 60 % of the better baseline's, and of all
pairs of the same work more than 10 % apart at least 90 % are in the right order."""

import argparse
import fnmatch
import json
import pathlib
import subprocess
import sys
import time

from benchmarks.timing.shared import programs
from benchmarks.timing.shared.judgement import Judgement

FILE = pathlib.Path(__file__).resolve().parent / "points.tsv"
KERNELS = sorted(path.stem for path in (FILE.parent / "points" / "kernels").glob("*.hip"))
COLUMNS = ["chip", "kernel", "problem", "value", "unit", "clock", "limiter", "use", "source"]


def read_points():
    rows = [line.split("\t") for line in FILE.read_text().splitlines() if line and not line.startswith("#")]
    if rows[0] != COLUMNS:
        sys.exit(f"error: {FILE}: expected the columns {', '.join(COLUMNS)}")
    return [dict(zip(COLUMNS, row)) for row in rows[1:]]


def published_nanoseconds(point, scale):
    """`scale`: bytes or operations of the published unit in what was run."""
    value = float(point["value"])
    return {"ms": value * 1e6, "us": value * 1e3, "GB/s": scale / value, "TFLOP/s": scale / value / 1e3}[point["unit"]]


def predict(program, build, chip, points):
    """Adds to each point what the program says of it; returns the chip's facts."""
    process = subprocess.Popen([program, chip, *programs.code_objects(build, chip, KERNELS)], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    facts = json.loads(process.stdout.readline() or sys.exit(1))
    for number, point in enumerate(points):
        begin = time.perf_counter()
        process.stdin.write("\t".join(point[name] for name in ("kernel", "problem", "clock")) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            sys.exit(f"error: no prediction of {chip} {point['kernel']} {point['problem']}")
        point.update({"predicted": json.loads(line), "seconds": time.perf_counter() - begin})
        point["nanoseconds"] = published_nanoseconds(point, point["predicted"]["scale"])
        if sys.stderr.isatty():
            print(f"\r{chip} {number + 1} of {len(points)}", end="\r", file=sys.stderr)
    process.stdin.close()
    process.wait()
    return facts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chips", nargs="+", help="only points of these")
    parser.add_argument("--rows", default="*", help="only the kernels that match, such as 'stream_*'")
    parser.add_argument("--json", type=pathlib.Path, help="everything there is to each point, to this file")
    programs.add_build_option(parser)
    arguments = parser.parse_args()
    program = programs.find(arguments.build, "bench-timing-points")
    points = [point for point in read_points() if point["use"] == "point" and fnmatch.fnmatch(point["kernel"], arguments.rows)
              and (not arguments.chips or point["chip"] in arguments.chips)]
    if not points:
        sys.exit(f"error: expected points of {arguments.rows} on {', '.join(arguments.chips or ['any chip'])} but there are none")
    facts = {}
    for chip in sorted({point["chip"] for point in points}):
        facts[chip] = predict(program, arguments.build, chip, [point for point in points if point["chip"] == chip])
    if arguments.json:
        arguments.json.write_text(json.dumps(points, indent=1) + "\n")
    judgement = Judgement(points, facts)
    judgement.print_points()
    judgement.print_limiters()
    sys.exit(0 if judgement.print_verdict() else 1)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
