#!/usr/bin/env python3
"""Runs NSTF's tools on hostile inputs (models.py, packages.py, launches.py), each under the rules of harness.py.

    run.py FOLDER [--bin BUILD/bin] [--only PART_OF_A_NAME] [--every N] [--list]

--every runs each Nth input alone. FOLDER is emptied; what a broken rule needs for another look is left there. The last
line is "N inputs, N broken, …", and the exit status is 0 only if no rule was broken. Model, package and kernel that the
cases change are made first."""
import argparse
import itertools
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

import launches
import models
import packages
from harness import PEAK_BYTES, Runner

ROOT = pathlib.Path(__file__).resolve().parents[3]


def make_bases(folder, binaries):
    """Whole inputs: a Llama's folder, two packages, a code object."""
    bases = {name: folder / name for name in ("llama", "toy", "matmul", "kernel")}

    def call(*command):
        subprocess.run([str(argument) for argument in command], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    folder.mkdir(parents=True)
    bases["kernel"].mkdir()
    call(sys.executable, ROOT / "test/compiler/import/Inputs/make_checkpoint.py", "llama", bases["llama"])
    call(binaries / "unittests/make-toy-package", bases["toy"])
    call("nstfc", ROOT / "examples/04-matmul/matmul.yaml", "--weights=random:1", "--precision=f32", "--target=gfx942", "-o", bases["matmul"])
    call("nstfc", "kernel", "silu", "--type=f32", "--m=1", "--n=64", "--name=silu", "--target=gfx942", "-o", bases["kernel"] / "k.hsaco")
    return bases


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/bin")
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    os.environ["PATH"] = f"{arguments.bin}{os.pathsep}{os.environ['PATH']}"
    shutil.rmtree(arguments.folder, ignore_errors=True)
    bases = make_bases(arguments.folder.resolve() / "bases", arguments.bin)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (3 * PEAK_BYTES, 3 * PEAK_BYTES))
    cases = (case for part in (models, packages, launches) for case in part.cases(bases) if arguments.only in case.name)
    cases = itertools.islice(cases, 0, None, arguments.every)
    if arguments.list:
        for case in cases:
            print(case.name)
        return 0
    start = time.monotonic()
    runner = Runner(arguments.folder.resolve() / "cases", bases)
    count, broken = runner.run_all(cases)
    for name, rules in broken.items():
        for rule in rules:
            print(f"{name}: {rule}")
    print(f"{count} inputs, {len(broken)} broken, {runner.cpu:.0f} CPU s in {time.monotonic() - start:.0f} s, "
          f"longest {runner.longest:.1f} s, largest {int(runner.peak) >> 20} MiB")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
