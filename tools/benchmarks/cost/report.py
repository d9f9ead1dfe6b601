"""How well the cost model ranks schedules: beside the timing model, shape by shape.

    tools/bench cost [--only=WORDS] [--chips=mi300x,mi250x] [--json=FILE] [--every]

Of each shape of cases.yaml and each chip: the rank correlation (Spearman) of what both models say of the schedules, the
regret (how much longer than the best its first choice takes by the timing model), and by how much the cost model's times
are off. Exit status 1 where the means miss their aims. Times of the timing model are kept in ~/.cache/nstf/times: remove
them where the timing model itself has changed."""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

import yaml

from benchmarks import launches
from benchmarks.cost import timed
from benchmarks.kernels import chip as chips

FILE = pathlib.Path(__file__).parent / "cases.yaml"
AIMS = {"spearman": 0.85, "regret": 0.08, "query_us": 50}


def ranks(values):
    """Places in order from 0 on, equal values sharing the mean of theirs."""
    order = sorted(range(len(values)), key=lambda index: values[index])
    found = [0.0] * len(values)
    for index in order:
        same = [place for place, other in enumerate(order) if values[other] == values[index]]
        found[index] = statistics.mean(same)
    return found


def spearman(left, right):
    left, right = ranks(left), ranks(right)
    if len(set(left)) < 2 or len(set(right)) < 2:
        return 0.0
    return statistics.correlation(left, right)


def words(case, schedule):
    """Of `nstfc kernel`."""
    options = [f"--{key}={value}" for key, value in case.items() if key not in ("kernel", "space")]
    return [case["kernel"], *options, *(f"--set={setting}" for setting in schedule.split())]


def name(case):
    return f"{case['kernel']} {case.get('m', 1)}x{case['n']}x{case['k']} {case['type']} {case.get('w-format', '')}".strip()


def cost(build, case, schedule, chip):
    """Microseconds by the cost model; None where it refuses."""
    done = subprocess.run([build / "bin" / "nstfc", "kernel", *words(case, schedule), f"--target={chip.target}", "--emit=cost"],
                          capture_output=True, text=True)
    if done.returncode:
        raise launches.Failed(done.stderr.strip())
    told = done.stdout.split(": ", 1)[1].split()
    return float(told[0]) if told[1] == "us," else None


def compare(build, case, schedules, chip):
    """[schedule, microseconds by the cost model, by the timing model] of what compiles."""
    rows = []
    for schedule in schedules:
        with tempfile.TemporaryDirectory() as folder:
            try:
                kernel = launches.nstf_kernel(build, words(case, schedule), chip.target, pathlib.Path(folder))
                rows.append([schedule, cost(build, case, schedule, chip), timed.microseconds(build, kernel, chip, pathlib.Path(folder))])
            except launches.Failed as failed:
                print(f"  not {schedule}: {failed}", file=sys.stderr)
    return rows


def judge(rows):
    judged = [row for row in rows if row[1] is not None]
    by_cost, by_timing = [row[1] for row in judged], [row[2] for row in judged]
    first = min(judged, key=lambda row: row[1])
    off = [one / other for one, other in zip(by_cost, by_timing)]
    return {"schedules": len(judged), "refused": len(rows) - len(judged), "spearman": spearman(by_cost, by_timing),
            "regret": first[2] / min(row[2] for row in rows) - 1, "least": min(off), "most": max(off),
            "off": math.exp(statistics.mean(map(abs, map(math.log, off)))) - 1}


def query_microseconds(build):
    """Of a query, by the ranking of a whole space."""
    done = subprocess.run([build / "bin" / "nstf-tune", "kernel", "matmul", "--m=512", "--n=512", "--k=512", "--type=f16",
                           "--target=gfx942", "--rank=1"], capture_output=True, text=True, check=True)
    return float(done.stderr.split(" us a query")[0].split()[-1])


def main():
    parser = argparse.ArgumentParser(prog=sys.argv[0], description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases whose name has these words")
    parser.add_argument("--chips", default=",".join(chips.TARGETS))
    parser.add_argument("--json", type=pathlib.Path, help="file that gets every time")
    parser.add_argument("--every", action="store_true", help="print each schedule")
    parser.add_argument("--build", type=pathlib.Path, default=launches.ROOT / "build")
    arguments = parser.parse_args()
    data = yaml.safe_load(FILE.read_text())
    results = []
    for chip in map(chips.read, arguments.chips.split(",")):
        for case in data["cases"]:
            if arguments.only not in name(case):
                continue
            rows = compare(arguments.build, case, data["spaces"][case["space"]], chip)
            if len(rows) < 2:
                continue
            result = {"case": name(case), "chip": chip.name, "rows": rows, **judge(rows)}
            results.append(result)
            print(f"{chip.name:7} {result['case']:40} {result['schedules']:3} schedules, Spearman {result['spearman']:5.2f}, "
                  f"regret {100 * result['regret']:3.0f} %, cost over timing {result['least']:.2f} to {result['most']:.2f}", flush=True)
            for schedule, by_cost, by_timing in sorted(rows, key=lambda row: row[2]) if arguments.every else []:
                print(f"    {by_timing:8.2f} us, cost {'refused' if by_cost is None else f'{by_cost:8.2f}'}  {schedule}")
    if not results:
        sys.exit(f"error: --only: expected words of a case but got '{arguments.only}'")
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1))
    means = {metric: statistics.mean(result[metric] for result in results) for metric in ("spearman", "regret", "off")}
    query = query_microseconds(arguments.build)
    print(f"{sum(len(result['rows']) for result in results)} schedules of {len(results)} shapes: Spearman {means['spearman']:.3f} "
          f"(aim {AIMS['spearman']}), regret {100 * means['regret']:.1f} % (aim {100 * AIMS['regret']:.0f}), times off by "
          f"{100 * means['off']:.0f} %, {query:.1f} us a query (aim {AIMS['query_us']})")
    if means["spearman"] < AIMS["spearman"] or means["regret"] > AIMS["regret"] or query > AIMS["query_us"]:
        sys.exit(1)


if __name__ == "__main__":
    try:
        main()
    except (launches.Failed, subprocess.CalledProcessError) as error:
        sys.exit(f"error: {getattr(error, 'stderr', '') or error}")
