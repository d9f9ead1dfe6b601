"""Predicted times of published kernels beside what silicon took (points.tsv), and beside two baselines.

Exit status 1 unless, over the points that took longer than twice a launch and averaged per kernel first, the error is at
most 20 % in the mean and 12 % in the median, the mean absolute log error at most 60 % of the better baseline's, and of all
pairs of the same work more than 10 % apart at least 90 % are in the right order. A point that can't be predicted costs itself
and the exit status, never the run."""

import argparse
import fnmatch
import itertools
import json
import pathlib
import signal
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


class Predictor:
    """The program on one chip, begun again when it dies."""

    def __init__(self, program, build, chip, budget):
        self.command = [program, chip, str(budget), *programs.code_objects(build, chip, KERNELS)]
        self.begin()

    def begin(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.facts = json.loads(self.process.stdout.readline() or sys.exit(1))

    def end(self):
        """Returns what it died of, if it did."""
        self.process.stdout.close()
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        status = self.process.wait()
        return signal.Signals(-status).name if status < 0 else f"exit status {status}"

    def predict(self, point):
        """Adds to the point what the program says of it, or how it failed."""
        begin = time.perf_counter()
        try:
            self.process.stdin.write("\t".join(point[name] for name in ("kernel", "problem", "clock")) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        point["seconds"] = time.perf_counter() - begin
        said = json.loads(line) if line else {"error": self.end()}
        if not line:
            self.begin()
        if "error" in said:
            point["failure"] = said["error"]
            return
        point["predicted"] = said
        point["nanoseconds"] = published_nanoseconds(point, said["scale"])


def earlier(files):
    """What runs with --json said, of several about one point the last."""
    points = {}
    for path in files:
        try:
            said = json.loads(path.read_text())
        except OSError as error:
            sys.exit(f"error: {path}: {error.strerror}")
        except ValueError as error:
            sys.exit(f"error: {path}: expected what --json wrote but got {error}")
        points |= {(point["chip"], point["kernel"], point["problem"]): point for point in said if "seconds" in point}
    return sorted(points.values(), key=lambda point: point["chip"])


def predicted(arguments, points):
    """Each point as soon as its prediction is known; all there is so far goes to --json."""
    program = programs.find(arguments.build, "bench-timing-points")
    for chip, same in itertools.groupby(sorted(points, key=lambda point: point["chip"]), key=lambda point: point["chip"]):
        predictor = Predictor(program, arguments.build, chip, arguments.budget)
        for point in same:
            predictor.predict(point)
            point["facts"] = predictor.facts
            yield point
            if arguments.json:
                arguments.json.write_text(json.dumps([point for point in points if "seconds" in point], indent=1) + "\n")
        predictor.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chips", nargs="+", help="only points of these")
    parser.add_argument("--rows", default="*", help="only the kernels that match, such as 'stream_*'")
    parser.add_argument("--budget", type=int, default=0, help="wave instructions of a launch from which on it is sampled; default: the model's")
    parser.add_argument("--json", type=pathlib.Path, help="everything there is to each point, to this file, as the points come")
    parser.add_argument("--judge", nargs="+", type=pathlib.Path, metavar="FILE", help="run nothing: what such files of earlier runs say together")
    programs.add_build_option(parser)
    arguments = parser.parse_args()
    points = [point for point in read_points() if point["use"] == "point" and fnmatch.fnmatch(point["kernel"], arguments.rows)
              and (not arguments.chips or point["chip"] in arguments.chips)]
    if not points:
        sys.exit(f"error: expected points of {arguments.rows} on {', '.join(arguments.chips or ['any chip'])} but there are none")
    if arguments.budget < 0:
        sys.exit(f"error: expected a budget of wave instructions but got {arguments.budget}")
    judged = earlier(arguments.judge) if arguments.judge else predicted(arguments, points)
    judgement = Judgement()
    judgement.print_head()
    for point in judged:
        judgement.add(point, point["facts"])
    judgement.compare()
    judgement.print_limiters()
    sys.exit(0 if judgement.print_verdict() else 1)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
