"""How close nstf-tune comes to the best of a whole space, and how few candidates it times for that.

    tools/bench tune [--only=WORDS] [--chips=mi300x,mi250x] [--budget=N] [--json=FILE]

Of each shape of cases.yaml and each chip the search at its budget, and one that times every legal candidate: the loss of
the first over the second, and the share of candidates that it timed. Exit status 1 where one misses its aim. All of it
takes hours; `--only` takes the shapes whose name has the words."""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import time

import yaml

from benchmarks import launches
from benchmarks.kernels import chip as chips

FILE = pathlib.Path(__file__).parent / "cases.yaml"
AIMS = {"loss": 0.05, "share": 0.15}
ALL = 1_000_000


def name(case):
    return f"{case['kernel']} {case['m']}x{case['n']}x{case['k']} {case['type']} {case.get('w-format', '')}".strip()


def search(build, case, chip, budget):
    """(microseconds of the best, candidates timed, legal candidates, seconds); throws launches.Failed."""
    options = [f"--{key}={value}" for key, value in case.items() if key != "kernel"]
    begin = time.perf_counter()
    done = subprocess.run([build / "bin" / "nstf-tune", "kernel", case["kernel"], *options, f"--target={chip.target}",
                           f"--budget={budget}"], capture_output=True, text=True)
    if done.returncode:
        raise launches.Failed(done.stderr.strip())
    timed, legal = map(int, re.search(r", (\d+) of (\d+) candidates", done.stdout).groups())
    best = min(float(us) for us in re.findall(r"^ *([0-9.]+) us  ", done.stdout, re.MULTILINE)[:1])
    return best, timed, legal, time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(prog=sys.argv[0], description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases whose name has these words")
    parser.add_argument("--chips", default=",".join(chips.TARGETS))
    parser.add_argument("--budget", type=int, default=32)
    parser.add_argument("--json", type=pathlib.Path, help="file that gets every figure")
    parser.add_argument("--build", type=pathlib.Path, default=launches.ROOT / "build")
    arguments = parser.parse_args()
    results = []
    for chip in map(chips.read, arguments.chips.split(",")):
        for case in yaml.safe_load(FILE.read_text())["cases"]:
            if arguments.only not in name(case):
                continue
            found, timed, legal, seconds = search(arguments.build, case, chip, arguments.budget)
            best = search(arguments.build, case, chip, ALL)[0]
            result = {"case": name(case), "chip": chip.name, "found_us": found, "best_us": best, "loss": found / best - 1,
                      "share": timed / legal, "seconds": seconds}
            results.append(result)
            print(f"{chip.name:7} {result['case']:36} {found:8.2f} us, best {best:8.2f}: {100 * result['loss']:4.1f} % off, "
                  f"{timed} of {legal} candidates ({100 * result['share']:.0f} %), {seconds:.0f} s", flush=True)
    if not results:
        sys.exit(f"error: --only: expected words of a case but got '{arguments.only}'")
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1))
    missed = [result for result in results if result["loss"] > AIMS["loss"] or result["share"] > AIMS["share"]]
    print(f"{len(results) - len(missed)} of {len(results)} within {100 * AIMS['loss']:.0f} % of the best with at most "
          f"{100 * AIMS['share']:.0f} % of the candidates")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    try:
        main()
    except launches.Failed as error:
        sys.exit(f"error: {error}")
