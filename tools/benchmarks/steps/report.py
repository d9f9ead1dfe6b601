"""A step of a model, launch by launch: how long it takes, what of that is bytes and what gaps, beside its aims.

    tools/bench steps [--only=CASE] [--chips=mi300x,mi250x] [--launches] [--whole]

Cases and aims stand in tools/benchmarks/steps/cases.yaml; README.md beside it explains the columns. Times are predicted. Layers
that are alike are told from a model of four, or with --whole all run. Exit status 1 where an aim is missed; the missed ones are
listed at the end."""

import argparse
import concurrent.futures
import dataclasses
import fnmatch
import json
import os
import pathlib
import sys
import tempfile

from benchmarks import launches
from benchmarks.kernels import aims, chip
from benchmarks.steps import cases, step

TOLERANCE = 0.02  # of a time that is told from fewer layers


class Row:
    """A case on a chip: its launches and metrics, or why there are none."""

    def __init__(self, case, chip_name):
        self.case, self.chip = case, chip.read(chip_name)
        self.launches, self.found, self.error = [], {}, None

    @property
    def title(self):
        return f"{self.case.title}, {self.chip.name}"

    def predict(self, build, whole):
        layers = self.case.model.layers
        try:
            with tempfile.TemporaryDirectory() as folder:
                run = lambda count: step.run(build, self.case, self.chip, pathlib.Path(folder), count)  # noqa: E731
                self.launches = run(layers if layers is None else min(layers, step.TOLD_LAYERS))
                self.found = metrics(self.launches, self.case, self.chip)
                if whole and layers and layers > step.TOLD_LAYERS:
                    told, self.launches = self.found["us"], run(layers)
                    self.found = metrics(self.launches, self.case, self.chip)
                    self.found["told"] = told / self.found["us"] - 1
        except launches.Failed as error:
            self.error = str(error)
        return self


def metrics(found, case, chip):
    """Of a step of all the model's layers, by name. The first layer, which finds no code in a cache, counts as it is, and the
    others that were run for all others."""
    run = {launch.layer for launch in found} - {None}
    layers = case.model.layers or len(run)
    others = (layers - 1) / (len(run) - 1) if len(run) > 1 else 1

    def total(value):
        return sum(value(launch) * (others if launch.layer else 1) for launch in found)

    kernels, count = total(lambda launch: launch.microseconds), round(total(lambda launch: 1))
    gaps, needed = count * chip.graph_node_ns / 1e3, total(lambda launch: launch.needed)
    return {"launches": count, "layer_launches": len(a_layer(found)), "kernels_us": kernels, "gaps_us": gaps, "us": kernels + gaps,
            "tokens_a_second": case.rows * 1e6 / (kernels + gaps), "needed_bytes": round(needed),
            "bandwidth": needed / (kernels + gaps) / 1e3 / chip.read_bandwidth,
            "traffic": total(lambda launch: launch.moved) / needed}


def a_layer(found):
    """The launches of one layer: of the last that was run, or of all where none says of which it is."""
    run = {launch.layer for launch in found} - {None}
    return [launch for launch in found if launch.layer == max(run)] if run else found


def shown(row, metric, form):
    value = row.found.get(metric)
    return "-" if value is None else format(value, form)


def h200(row):
    measured = row.case.h200_microseconds
    return "-" if measured is None else f"{measured:.0f} us, {row.case.rows * 1e6 / measured:.0f}/s"


# Title, least width, text of a row.
COLUMNS = [
    ("launches", 8, lambda row: shown(row, "launches", "d")),
    ("a layer", 7, lambda row: shown(row, "layer_launches", "d")),
    ("kernels", 11, lambda row: shown(row, "kernels_us", ".1f") + " us"),
    ("gaps", 10, lambda row: shown(row, "gaps_us", ".1f") + " us"),
    ("step", 11, lambda row: shown(row, "us", ".1f") + " us"),
    ("tokens/s", 8, lambda row: shown(row, "tokens_a_second", ".1f")),
    ("weights, caches", 15, lambda row: shown(row, "needed_bytes", ",d")),
    ("of bandwidth", 12, lambda row: shown(row, "bandwidth", ".1%")),
    ("traffic", 7, lambda row: shown(row, "traffic", ".3f")),
    ("H200, measured", 17, h200),
]


def print_launches(row):
    print(f"\na layer of {row.title}: {'':8}us   of bandwidth  HBM bytes      limiter")
    for launch in a_layer(row.launches):
        share = launch.needed / launch.microseconds / 1e3 / row.chip.read_bandwidth
        print(f"  {launch.name:44} {launch.microseconds:8.2f}  {share:12.1%}  {launch.moved:13,}  {launch.limiter}")
    print(f"  {'':44} {sum(launch.microseconds for launch in a_layer(row.launches)):8.2f}", flush=True)


def missed(row):
    lines = [row.error] if row.error else aims.missed(row.case.aims, row.found, row.chip.name)
    if abs(row.found.get("told", 0)) > TOLERANCE:
        lines.append(f"told from {step.TOLD_LAYERS} layers: expected within {TOLERANCE:.0%} of all but got {row.found['told']:+.1%}")
    return [f"{row.title}: {line}" for line in lines]


def main():
    parser = argparse.ArgumentParser(prog="tools/bench steps", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     allow_abbrev=False)
    parser.add_argument("--only", default="", metavar="CASE", help="cases whose name holds this, such as bf16 or 'int4*'")
    parser.add_argument("--cases", type=pathlib.Path, default=cases.FILE, metavar="FILE", help="in place of cases.yaml")
    parser.add_argument("--chips", default=",".join(chip.TARGETS), help="of " + ", ".join(chip.TARGETS))
    parser.add_argument("--launches", action="store_true", help="also one layer's launches, with time and limiter")
    parser.add_argument("--whole", action="store_true", help="run all layers, and compare with what is told from four")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="also writes every metric and launch")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="rows at a time")
    parser.add_argument("--build", type=pathlib.Path, default=launches.ROOT / "build", help="the build folder")
    arguments = parser.parse_args()
    if arguments.jobs < 1:
        sys.exit(f"error: --jobs: expected at least 1 but got {arguments.jobs}")
    chips = arguments.chips.split(",")
    for name in chips:
        if name not in chip.TARGETS:
            sys.exit(f"error: --chips: expected {' or '.join(chip.TARGETS)} but got {name}")
    for program in ("nstfc", "nstf-emu"):
        if not (arguments.build / "bin" / program).exists():
            sys.exit(f"error: expected {arguments.build}/bin/{program} (cmake --preset default && cmake --build build) but there is none")
    try:
        known = cases.read(arguments.cases)
    except cases.Unreadable as error:
        sys.exit(f"error: {error}")
    rows = [Row(case, name) for case in known for name in chips
            if name in case.chips and fnmatch.fnmatch(case.title, f"*{arguments.only}*")]
    if not rows:
        sys.exit(f"error: --only: expected a case of {arguments.cases} but '{arguments.only}' matches none of "
                 + ", ".join(case.title for case in known))
    width = max(len(row.title) for row in rows)
    print(f"{'predicted':{width}}  " + "  ".join(f"{name:>{least}}" for name, least, _ in COLUMNS), flush=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for row in pool.map(lambda row: row.predict(arguments.build, arguments.whole), rows):
            cells = [row.error] if row.error else [f"{text(row):>{least}}" for _, least, text in COLUMNS]
            if "told" in row.found:
                cells.append(f"told from {step.TOLD_LAYERS} layers {row.found['told']:+.2%}")
            print(f"{row.title:{width}}  " + "  ".join(cells), flush=True)
    for row in rows if arguments.launches else []:
        if row.launches:
            print_launches(row)
    if arguments.json:
        arguments.json.write_text(json.dumps([{"case": row.case.title, "chip": row.chip.name, "error": row.error, **row.found,
                                               "steps": [dataclasses.asdict(launch) for launch in row.launches]}
                                              for row in rows], indent=1) + "\n")
    lines = [line for row in rows for line in missed(row)]
    print(f"\n{len(lines)} aims missed" if lines else "\nno aim missed")
    for line in lines:
        print(f"  {line}")
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
