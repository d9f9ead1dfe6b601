"""Our large kernels: what their loops hold, their predicted times, another compiler's and aims for all of it.

    tools/bench kernels [--only=CASE] [--chips=mi300x,mi250x] [--loops] [--no-timing] [--no-triton]
    tools/bench kernels --uncertain [--only=CASE] [--constants=NAME,...] [--against=WORDS|FILE.hsaco]

Cases and aims stand in tools/benchmarks/kernels/cases.yaml; COLUMNS.md beside it explains the columns. Launches are sampled,
their times predicted. Exit status 1 where an aim is missed; the missed ones are listed at the end."""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import statistics
import sys
import tempfile

from benchmarks import launches
from benchmarks.kernels import aims, cases, chip, choices, guesses, prediction, rival, structure, uncertain
from benchmarks.triton import peer


class Row:
    """A case on a chip: its metrics as they become known, or why there are none."""

    def __init__(self, case, chip_name):
        self.case, self.chip = case, chip.read(chip_name)
        self.found, self.notes, self.error = {}, {}, None
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.kernel = None

    @property
    def title(self):
        return f"{self.case.name}, {self.chip.name}"

    @property
    def is_ping_pong(self):
        return self.kernel is not None and self.kernel.schedule.get("order") == "turns"

    def look(self, build, with_loops):
        try:
            self.kernel = launches.nstf_kernel(build, self.case.words, self.chip.target, self.folder, control=self.case.control)
            self.found |= structure.of(build, self.kernel, self.case, self.chip, self.folder)
            if with_loops:
                self.notes["loops"] = structure.loops(build, self.kernel)
        except launches.Failed as error:
            self.error = f"not there yet: {error}"
        return self

    def predict(self, build, with_triton):
        try:
            if not self.error:
                self.found |= prediction.of(build, self.kernel, self.case, self.chip, self.folder)
        except launches.Failed as error:
            self.error = f"not predicted: {error}"
        try:
            if with_triton:
                self.found["triton_us"], self.notes["triton"] = rival.best(build, self.case, self.chip, self.folder)
                if "execution_us" in self.found:
                    self.found["over_triton"] = self.found["triton_us"] / self.found["execution_us"]
        except (launches.Failed, peer.Unavailable) as error:
            self.notes["triton"] = str(error)
        self.temporary.cleanup()
        return self


def shown(value, form):
    return "-" if value is None else format(value, form)


def share(value):
    return "-" if value is None else f"{100 * value:.1f}%"


def tile(row):
    kernel, sides = row.kernel, [row.kernel.parameters[side] for side in ("BM", "BQ", "BN", "BK") if side in row.kernel.parameters]
    return f"{'x'.join(map(str, sides))} on {kernel.threads // 64}{', ping-pong' * row.is_ping_pong}"


# Title, least width, text of a row.
STRUCTURE = [
    ("tile, waves", 17, tile),
    ("regs", 4, lambda row: shown(row.found["registers"], "d")),
    ("spills", 6, lambda row: shown(row.found["spills"], "d")),
    ("waves/SIMD", 10, lambda row: shown(row.found["waves"], "d")),
    ("vector/block", 12, lambda row: shown(row.found.get("vector_a_block"), ".1f")),
    ("moves", 5, lambda row: shown(row.found.get("accumulator_moves"), "d")),
    ("16 B LDS", 8, lambda row: share(row.found.get("lds_16_byte_share"))),
    ("conflicts", 9, lambda row: shown(row.found.get("conflict_clocks"), "d")),
    ("load cover", 10, lambda row: shown(row.found.get("load_cover"), "d")),
    ("LDS cover", 9, lambda row: shown(row.found.get("lds_cover"), "d")),
    ("waits to 0", 10, lambda row: shown(row.found.get("waits_to_zero"), "d")),
    ("s_nop", 5, lambda row: shown(row.found.get("nop_clocks"), "d")),
    ("barriers/block", 14, lambda row: shown(row.found.get("barriers_a_block"), ".1f")),
    ("issue", 5, lambda row: shown(row.found.get("issue"), ".3f")),
    ("loaded", 6, lambda row: shown(row.found.get("loaded"), ".3f")),
    ("B/lane stored", 13, lambda row: shown(row.found.get("bytes_a_lane_a_store"), ".1f")),
    ("compile", 7, lambda row: shown(row.found["compile_seconds"], ".2f") + " s"),
    ("code", 8, lambda row: shown(row.found["code_bytes"] / 1024, ".1f") + " KiB"),
]
ATTENTION = [
    ("workgroups", 10, lambda row: shown(row.found.get("workgroups"), "d")),
    ("vector/score", 12, lambda row: shown(row.found.get("vector_a_score"), ".2f")),
    ("exp/score", 9, lambda row: shown(row.found.get("exp_a_score"), ".2f")),
    ("conflicts/block", 15, lambda row: shown(row.found.get("conflict_clocks_a_block"), ".1f")),
    ("rescaled", 8, lambda row: share(row.found.get("rescaled_share"))),
    ("LDS accesses", 12, lambda row: shown(row.found.get("lds_accesses"), "d")),
    ("least vmcnt", 11, lambda row: shown(row.found.get("least_vmcnt"), "d")),
    ("vector/KiB", 10, lambda row: shown(row.found.get("vector_a_kib"), ".1f")),
]
TIMES = [
    ("peak clock", 13, lambda row: shown(row.found.get("execution_us"), ".1f") + " us"),
    ("first launch", 13, lambda row: shown(row.found.get("first_us"), ".1f") + " us"),
    ("sustained clock", 22, lambda row: f"{shown(row.found.get('sustained_us'), '.1f')} us at {shown(row.found.get('sustained_mhz'), '.0f')} MHz"),
    ("of the pipe", 11, lambda row: share(row.found.get("pipe"))),
    ("of bandwidth", 12, lambda row: share(row.found.get("bandwidth"))),
    ("Triton", 11, lambda row: shown(row.found.get("triton_us"), ".1f") + " us"),
    ("over it", 7, lambda row: shown(row.found.get("over_triton"), ".2f") + "x"),
    ("H200, measured", 14, lambda row: shown(row.case.h200_microseconds, ".1f") + " us"),
    ("limiter", 0, lambda row: row.found.get("why", "-")),
]


def print_rows(title, columns, rows, width):
    print(f"\n{title:{width}}  " + "  ".join(f"{name:>{least}}" for name, least, _ in columns), flush=True)
    for row in rows:
        cells = [row.error] if row.error and columns is STRUCTURE else [f"{text(row):>{least}}" for _, least, text in columns]
        print(f"{row.title:{width}}  " + "  ".join(cells), flush=True)


def add_rates(rows):
    """What a row's rate is of that of another case on the same chip."""
    rates = {(row.case.name, row.chip.name): row.found.get("products_a_ns") for row in rows}
    for row in rows:
        own, beside = row.found.get("products_a_ns"), rates.get((row.case.rate_beside, row.chip.name))
        if own and beside:
            row.found["rate"] = own / beside


def missed_lines(rows, general, skipped):
    lines = []
    for row in rows:
        own = aims.missed(general["every"], row.found, row.chip.name) if not row.error else []
        not_asked = skipped | set(general["not_of_ping_pong"] if row.is_ping_pong else [])
        own += [row.error] if row.error and row.case.aims else aims.missed(row.case.aims, row.found, row.chip.name, not_asked)
        own = [f"{line}; limited by {row.found['why']}" if line.split(":")[0] in aims.TIMED and "why" in row.found else line
               for line in own]
        lines += [f"{row.title}: {line}" for line in own]
    seconds = [row.found["compile_seconds"] for row in rows if "compile_seconds" in row.found]
    if seconds:
        lines += [f"median of all: {line}"
                  for line in aims.missed(general["median"], {"compile_seconds": statistics.median(seconds)}, "")]
    return lines


def chosen_cases(file, pattern):
    """Those whose name holds the pattern, and those beside which they are judged."""
    try:
        known, general = cases.read(file)
    except cases.Unreadable as error:
        sys.exit(f"error: {error}")
    chosen = [case for case in known if fnmatch.fnmatch(case.name, f"*{pattern}*")]
    if not chosen:
        sys.exit(f"error: --only: expected a case of {file} but '{pattern}' matches none of {', '.join(case.name for case in known)}")
    beside = {case.rate_beside for case in chosen}
    return [case for case in known if case in chosen or case.name in beside], general


def values_of(texts):
    """By constant, from CONSTANT=VALUE,VALUE."""
    values = collections.defaultdict(list)
    for text in texts:
        constant, _, numbers = text.partition("=")
        try:
            values[constant] += [float(number) for number in numbers.split(",")]
        except ValueError:
            sys.exit(f"error: --values: expected CONSTANT=NUMBER,... but got {text}")
    return values


def judge_guesses(arguments, chosen, chips):
    """--uncertain."""
    try:
        known = cases.read(arguments.cases)[0]
        compared = choices.against(arguments.against, chosen, chips) if arguments.against else \
            [choice for choice in choices.read(known) if choice.case.name in {case.name for case in chosen}]
        ranges = {guess.constant for name in chips for guess in guesses.read(name)}
        for constant in arguments.constants:
            if constant not in ranges:
                sys.exit(f"error: --constants: expected one of {', '.join(sorted(ranges))} but got {constant}")
        for name in chips:
            for constant in arguments.values:
                guesses.end(name, constant, 0)
        uncertain.run(arguments, chosen, chips, compared)
    except cases.Unreadable as error:
        sys.exit(f"error: {error}")
    except KeyError as error:
        sys.exit(f"error: --values: expected a constant of the timing model but got {error.args[0]}")


def main():
    parser = argparse.ArgumentParser(prog="tools/bench kernels", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     allow_abbrev=False)
    parser.add_argument("--only", default="", metavar="CASE", help="cases whose name holds this, such as f16 or '8192*'")
    parser.add_argument("--cases", type=pathlib.Path, default=cases.FILE, metavar="FILE", help="in place of cases.yaml")
    parser.add_argument("--chips", default=",".join(chip.TARGETS), help="of " + ", ".join(chip.TARGETS))
    parser.add_argument("--loops", action="store_true", help="also what each loop holds: instructions by kind and width, and the cover of each wait")
    parser.add_argument("--no-timing", action="store_true", help="what needs no clock only")
    parser.add_argument("--no-triton", action="store_true", help="without Triton's kernels")
    parser.add_argument("--uncertain", action="store_true",
                        help="in place of all that: aims, and choices between plans, with each guess of the timing model at both ends")
    parser.add_argument("--constants", default="", metavar="NAME,...", help="--uncertain: of these guesses alone")
    parser.add_argument("--values", action="append", default=[], metavar="NAME=NUMBER,...",
                        help="--uncertain: these values of a constant in place of the guesses' ends; repeatable")
    parser.add_argument("--against", action="append", default=[], metavar="WORDS|FILE.hsaco",
                        help="--uncertain: the shipped plan of each case beside another: words of nstfc kernel such as --set=BK=64, or its code object; repeatable")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="also writes every metric")
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
    chosen, general = chosen_cases(arguments.cases, arguments.only)
    arguments.constants, arguments.values = [name for name in arguments.constants.split(",") if name], values_of(arguments.values)
    if arguments.uncertain:
        return judge_guesses(arguments, chosen, chips)
    if arguments.constants or arguments.values or arguments.against:
        sys.exit("error: expected --uncertain with --constants, --values and --against")
    rows = [Row(case, name) for case in chosen for name in chips if name in case.chips]
    width = max(len(row.title) for row in rows)
    skipped = set()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        print_rows("structure", STRUCTURE, pool.map(lambda row: row.look(arguments.build, arguments.loops), rows), width)
        of_attention = [row for row in rows if row.case.heads and not row.error]
        if of_attention:
            print_rows("attention", ATTENTION, of_attention, width)
        for row in rows:
            if "loops" in row.notes:
                print(f"\nloops, {row.title}\n{row.notes['loops']}")
        if arguments.no_timing:
            skipped = aims.TIMED
        else:
            skipped = {"over_triton"} if arguments.no_triton else set()
            print_rows("predicted, launch cost apart", TIMES,
                       pool.map(lambda row: row.predict(arguments.build, not arguments.no_triton), rows), width)
            add_rates(rows)
            for row in rows:
                if "triton" in row.notes:
                    print(f"Triton, {row.title}: {row.notes['triton']}")
    if arguments.json:
        arguments.json.write_text(json.dumps([{"case": row.case.name, "chip": row.chip.name, "error": row.error, **row.found,
                                               "triton": row.notes.get("triton")} for row in rows], indent=1) + "\n")
    lines = missed_lines(rows, general, skipped)
    print(f"\n{len(lines)} aims missed" if lines else "\nno aim missed")
    for line in lines:
        print(f"  {line}")
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()
