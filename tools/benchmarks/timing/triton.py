"""The Triton kernels of the emulator's tests beside ours: predicted times on both chips, and the measured H200's.

    tools/bench timing triton [ROW ...] [--chips=mi300x,mi250x]

Triton's is the fastest of all configurations in which the tests compile the kernel (test/runtime/emulator/triton/cases.py),
the slowest stands beside it. Its products take B by rows, ours the weight [n, k]. Times are at the chip's peak clock,
launch cost apart."""

import argparse
import math
import pathlib
import sys
import tempfile

from benchmarks import h200, launches
from benchmarks.kernels import chip, prediction
from benchmarks.timing.shared import programs
from benchmarks.triton import peer

KERNELS = launches.ROOT / "test" / "runtime" / "emulator" / "triton" / "kernels.py"
NAMES = {"fp16": "f16", "bf16": "bf16", "fp32": "f32"}
BYTES = {"fp16": 2, "bf16": 2, "fp32": 4}


class Row:
    """`words`: of `nstfc kernel`; `arguments`: of Triton's kernel; `fixed`: constants that the sizes decide; `groups`: of a
    launch, by the constants; `measured`: row and type in cuda_h200.tsv."""

    def __init__(self, name, words, kernel, arguments, fixed, groups, measured=None):
        self.name, self.words, self.kernel, self.arguments = name, words, kernel, arguments
        self.fixed, self.groups, self.measured = fixed, groups, measured

    def candidates(self, spaces):
        """Distinct configurations of the kernel."""
        found = {}
        for space in spaces:
            if space["kernel"] == self.kernel:
                constants = space["constants"] | self.fixed
                candidate = peer.Candidate(self.kernel, self.groups(constants), self.arguments, constants, space["options"])
                found[candidate.label] = candidate
        return list(found.values())


def blocks(count, block):
    return -(-count // block)


def product(type, m, n, k):
    size = BYTES[type]
    return Row(f"matmul {NAMES[type]} {m}x{n}x{k}", ["matmul", f"--m={m}", f"--n={n}", f"--k={k}", f"--type={NAMES[type]}"],
               "matmul", [("a", f"*{type}", m * k * size), ("b", f"*{type}", k * n * size), ("c", f"*{type}", m * n * size),
                          ("m", "i32", m), ("n", "i32", n), ("k", "i32", k),
                          ("stride_a", "i32", k), ("stride_b", "i32", n), ("stride_c", "i32", n)],
               {"ACC": "float32", "PRECISION": "'ieee'"}, lambda sizes: [blocks(m, sizes["BM"]) * blocks(n, sizes["BN"]), 1, 1],
               (f"gemm {m}x{n}x{k}", NAMES[type]))


def attention(type, heads, length, head, measured):
    size = heads * length * head * BYTES[type]
    return Row(f"attention {NAMES[type]} {length} heads {heads} size {head}",
               ["attention", f"--m={length}", f"--heads={heads}", f"--head-size={head}", f"--type={NAMES[type]}"], "attention",
               [(name, f"*{type}", size) for name in ("q", "k", "v", "out")] +
               [("scale", "fp32", head ** -0.5), ("length", "i32", length)], {"HEAD": head, "CAUSAL": True},
               lambda sizes: [blocks(length, sizes["BM"]), heads, 1], measured)


def softmax(rows, columns):
    return Row(f"softmax f32 {rows}x{columns}", ["softmax", f"--m={rows}", f"--n={columns}"], "softmax",
               [("x", "*fp32", rows * columns * 4), ("y", "*fp32", rows * columns * 4), ("columns", "i32", columns)],
               {"BLOCK": 1 << math.ceil(math.log2(columns))}, lambda sizes: [rows, 1, 1])


def layer_norm(rows, columns):
    return Row(f"layer_norm f32 {rows}x{columns}", ["layer_norm", f"--m={rows}", f"--n={columns}"], "layer_norm",
               [("x", "*fp32", rows * columns * 4), ("y", "*fp32", rows * columns * 4), ("weight", "*fp32", columns * 4),
                ("bias", "*fp32", columns * 4), ("means", "*fp32", rows * 4), ("inverses", "*fp32", rows * 4),
                ("columns", "i32", columns), ("epsilon", "fp32", 1e-5)], {}, lambda sizes: [rows, 1, 1])


def add(rows, columns):
    count = rows * columns
    return Row(f"add f32 {rows}x{columns}", ["add", f"--m={rows}", f"--n={columns}"], "add",
               [(name, "*fp32", count * 4) for name in ("a", "b", "c")] + [("n", "i32", count)], {},
               lambda sizes: [blocks(count, sizes["BLOCK"]), 1, 1])


ROWS = [
    product("fp16", 1024, 1024, 1024),
    product("bf16", 1024, 1024, 1024),
    product("fp32", 1024, 1024, 1024),
    attention("bf16", 512, 1024, 128, ("attention 16x1024 heads 32/8 size 128 causal", "bf16")),
    softmax(4096, 1000),
    layer_norm(2048, 4096),
    add(2048, 8192),
]


def compare(row, on, build, spaces, folder):
    """Prints the row; returns whether there were both times."""
    times, failures = [], []
    candidates = row.candidates(spaces)
    for candidate, kernel in zip(candidates, peer.compile(KERNELS, candidates, on.target, folder)):
        try:
            if isinstance(kernel, str):
                raise launches.Failed(kernel)
            times.append((prediction.microseconds(build, kernel, on, folder), candidate.label))
        except launches.Failed as error:
            failures.append(f"{candidate.label}: {error}")
    try:
        ours = prediction.microseconds(build, launches.nstf_kernel(build, row.words, on.target, folder), on, folder)
    except launches.Failed as error:
        ours = None
        failures.append(f"ours: {error}")
    best, label = min(times, default=(None, "-"))
    measured = h200.rows().get(row.measured, (None,))[0]

    def cell(value):
        return f"{value:9.1f} us" if value is not None else f"{'-':>12}"
    over = f"{best / ours:5.2f}x" if best and ours else f"{'-':>6}"
    print(f"{row.name:42} {on.name}  {cell(ours)}  {cell(best)}  {over}  {cell(max(times, default=(None,))[0])}  {len(times):5}  "
          f"{cell(measured)}  {label}", flush=True)
    for failure in failures:
        print(f"  {failure}")
    return bool(best and ours)


def main():
    parser = argparse.ArgumentParser(prog="tools/bench timing triton", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="parts of names; default: all of " + ", ".join(row.name for row in ROWS))
    parser.add_argument("--chips", default=",".join(chip.TARGETS), help="of " + ", ".join(chip.TARGETS))
    programs.add_build_option(parser)
    arguments = parser.parse_args()
    for name in arguments.chips.split(","):
        if name not in chip.TARGETS:
            parser.error(f"--chips: expected {' or '.join(chip.TARGETS)} but got {name}")
    for part in arguments.rows:
        if not any(part in row.name for row in ROWS):
            parser.error(f"expected a part of one of {', '.join(row.name for row in ROWS)} but got {part}")
    for program in ("nstfc", "nstf-emu"):
        programs.find(arguments.build, program)
    complete = True
    print(f"{'predicted, launch cost apart':42} {'chip':6}  {'ours':>12}  {'Triton':>12}  {'over':>6}  {'its slowest':>12}  tried  "
          f"{'H200, CUDA':>12}  Triton's configuration")
    try:
        for name in arguments.chips.split(","):
            on = chip.read(name)
            spaces = peer.spaces(on.target)
            for row in ROWS:
                if not arguments.rows or any(part in row.name for part in arguments.rows):
                    with tempfile.TemporaryDirectory() as folder:
                        complete &= compare(row, on, arguments.build, spaces, pathlib.Path(folder))
    except peer.Unavailable as error:
        sys.exit(f"error: {error}")
    print("H200: measured, by CUDA's libraries; its attention has 8 key heads for 32.")
    sys.exit(not complete)


if __name__ == "__main__":
    main()
