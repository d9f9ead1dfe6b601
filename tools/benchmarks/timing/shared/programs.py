"""The programs and code objects that the timing benchmarks are made of, in the build folder."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
TARGETS = {"mi300x": "gfx942", "mi300a": "gfx942", "mi308x": "gfx942", "mi250x": "gfx90a", "mi210": "gfx90a"}


def add_build_option(parser):
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="the build folder")


def find(build, name):
    program = build / "bin" / name
    if not program.exists():
        sys.exit(f"error: expected {program} (cmake --preset default && cmake --build build) but there is none")
    return program


def target_of(chip):
    """A built-in chip's target, or what a chip's file says."""
    if not chip.endswith(".yaml"):
        if chip not in TARGETS:
            sys.exit(f"error: expected one of {', '.join(TARGETS)} or FILE.yaml but got {chip}")
        return TARGETS[chip]
    try:
        found = re.search(r"^target: *(\w+)", pathlib.Path(chip).read_text(), re.MULTILINE)
    except OSError as error:
        sys.exit(f"error: {chip}: {error.strerror}")
    if not found:
        sys.exit(f"error: {chip}: expected a target")
    return found.group(1)


def code_objects(build, chip, names):
    return [build / "timing" / f"{name}.{target_of(chip)}.hsaco" for name in names]
