"""Tile passes in wrong orders: wrong_order.py ROOT FOLDER; FOLDER is for what is compiled.

Every two neighbours are exchanged, every pass is moved to the front and to the end, and every pass is left out, one at a
time. Each gives the same code; or one line that names a pass that was to come before or behind; or other code, with a
remark that names the pass that was left out, and the same numbers. The passes are those of the line above
buildTilePipeline (compiler/pipelines/Pipelines.cpp), so that a new one is among them.

Prints a line for each that does none of it, and how many did what; fails where one does none.
"""
import collections
import pathlib
import re
import subprocess
import sys

import numpy

root, folder = map(pathlib.Path, sys.argv[1:3])

# What is compiled: a template, its parameters, and the launch that shows its numbers.
KERNELS = {
    "matmul": ("M=70 N=96 K=84 BM=32 BN=32 BK=32 waves=1x1x2 ROWS=70 OPERAND=f16", """buffers:
  x: {type: f16, shape: [70, 84], init: {random: {seed: 1}}}
  w: {type: f16, shape: [96, 84], init: {random: {seed: 2}}}
  y: {type: f32, shape: [70, 96]}
  control: {type: i32, shape: [16]}
launches:
  - {kernel: matmul, grid: [9], block: [WORKITEMS], args: [{buffer: x}, {buffer: w}, {buffer: y}CONTROL]}
"""),
    "rms_norm": ("M=9 N=65 BM=3 BN=96 waves=1x3 ROWS=9", """buffers:
  x: {type: f32, shape: [9, 65], init: {random: {seed: 1}}}
  w: {type: f32, shape: [1, 65], init: {random: {seed: 2}}}
  y: {type: f32, shape: [9, 65]}
  control: {type: i32, shape: [16]}
launches:
  - {kernel: rms_norm, grid: [3], block: [WORKITEMS], args: [{buffer: x}, {buffer: w}, {buffer: y}CONTROL]}
"""),
}
BEHIND = ("systolic-to-gpu-lower-kernels,systolic-to-gpu-merge-overlaps,systolic-to-gpu-fetch-code,canonicalize,cse,"
          "systolic-to-gpu-issue-stores,loop-invariant-code-motion,gpu.module(expand-strided-metadata,lower-affine,"
          "convert-scf-to-cf,systolic-to-gpu-convert-gpu-to-rocdl,systolic-to-gpu-store-through,"
          "reconcile-unrealized-casts,canonicalize,cse)")


def list_passes():
    text = (root / "compiler/pipelines/Pipelines.cpp").read_text()
    lines = re.search(r"((?:^//.*\n)+)void nstf::buildTilePipeline\(", text, re.M)[1]
    line = "".join(line.removeprefix("//") for line in lines.splitlines()).split("part(", 1)[1]
    # The template is filled already.
    return [one for one in re.findall(r"[\w-]+", line) if one not in ("systolic", "kernel", "nstf-to-systolic-fill-template")]


def spell(one, parameters):
    if one == "systolic-instantiate":
        return f"systolic-instantiate{{{parameters}}}"
    return f"systolic.kernel({one})" if one.startswith("systolic-") else one


def compile(name, order):
    pipeline = ",".join(spell(one, KERNELS[name][0]) for one in order)
    return subprocess.run(
        ["nstf-opt", root / f"templates/kernels/{name}.mlir", "--remark-format=emitRemark", "--remarks-filter=.*",
         f"--pass-pipeline=builtin.module(nstf-set-target{{target=gfx942}},{pipeline},{BEHIND})"],
        capture_output=True, text=True)


def make_object(text):
    """The code object of what `compile` gave."""
    subprocess.run(["nstf-opt", "-", "-o", "/dev/null",
                    f"--pass-pipeline=builtin.module(nstf-generate-code,nstf-link-code{{output={folder}}})"],
                   input=text, check=True, text=True)
    return (folder / "kernels.gfx942.hsaco").read_bytes()


def run(name, code, text):
    """What a kernel computes; one that was left the control block gets it."""
    (folder / "k.hsaco").write_bytes(code)
    arguments = re.search(r"llvm\.func @\w+\((.*?)\) attributes", text, re.S)[1].count("!llvm.ptr")
    control = ", {buffer: control}" if arguments == 4 else ""
    work_items = re.search(r"known_block_size = array<i32: (\d+)", text)[1]
    launch = KERNELS[name][1].replace("CONTROL", control).replace("WORKITEMS", work_items)
    (folder / "k.yaml").write_text("code_object: k.hsaco\noutputs: {y: y.npy}\n" + launch)
    subprocess.run(["nstf-emu", "run", folder / "k.yaml", "--check=all,hazard:strict"], check=True, capture_output=True)
    return numpy.load(folder / "y.npy")


def variations(passes):
    for i, one in enumerate(passes):
        rest = passes[:i] + passes[i + 1:]
        yield f"without {one}", rest, one
        yield f"{one} first", [one, *rest], None
        yield f"{one} last", [*rest, one], None
        if i + 1 < len(passes):
            yield f"{one} behind {passes[i + 1]}", [*passes[:i], passes[i + 1], one, *passes[i + 2:]], None


def judge(name, right, code, order, left_out, passes):
    """A word for what became of an order, or a text that says what is wrong with it."""
    result = compile(name, order)
    errors = [line for line in result.stderr.splitlines() if "error:" in line]
    if result.returncode < 0 or "Stack dump" in result.stderr:
        return "it ended by a signal"
    if result.returncode:
        names_one = any(re.search(rf"\b{one}\b", line) for one in passes for line in errors)
        return "refused" if len(errors) == 1 and names_one else f"expected one line that names a pass but got {errors}"
    if result.stdout == right.stdout or (other := make_object(result.stdout)) == code:
        return "same"
    if not left_out or f"{left_out} was not run" not in result.stderr:
        return "it gave other code in silence"
    # Sums may be made in another order.
    is_alike = numpy.allclose(run(name, other, result.stdout), run(name, code, right.stdout), rtol=1e-5, atol=1e-5)
    return "told" if is_alike else "it gave other numbers"


passes, counts, faults = list_passes(), collections.Counter(), 0
for name in KERNELS:
    right = compile(name, passes)
    assert right.returncode == 0, right.stderr
    code = make_object(right.stdout)
    tried = {tuple(passes)}
    for what, order, left_out in variations(passes):
        if tuple(order) in tried:
            continue
        tried.add(tuple(order))
        verdict = judge(name, right, code, order, left_out, passes)
        if verdict in ("same", "refused", "told"):
            counts[verdict] += 1
        else:
            print(f"{name}: {what}: {verdict}")
            faults += 1
print(f"{counts['same']} gave the same code, {counts['refused']} were refused, {counts['told']} told what they lack; {faults} did none")
sys.exit(faults > 0)
