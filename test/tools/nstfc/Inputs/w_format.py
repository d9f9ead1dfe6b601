"""w_format.py BUILD FOLDER: kernels of codes are launched with planes made by what their headers say, and their results
are those of the numbers that the planes mean."""
import pathlib
import re
import subprocess
import sys

import numpy

from kernel_cases import TOLERANCE, from_bits, to_bits

sys.path.insert(0, str(pathlib.Path(__file__).parents[4] / "tools"))
from benchmarks import launches  # noqa: E402

build, folder = map(pathlib.Path, sys.argv[1:])
folder.mkdir(parents=True, exist_ok=True)
random = numpy.random.default_rng(7)


def words(codes, bits, place):
    """Codes along the last axis, `32 / bits` in a word of which code j begins at bit place(j)."""
    each = 32 // bits
    codes = numpy.pad(codes, [(0, 0), (0, -codes.shape[1] % each)]).reshape(len(codes), -1, each).astype(numpy.uint32)
    return sum(codes[..., j] << numpy.uint32(place(j)) for j in range(each)).astype(numpy.uint32).view(numpy.int32)


def paired(bits):
    return lambda j: bits * (j // 2) + 16 * (j % 2)


def planes_of(name, N, K):
    """The planes of a random matrix of N rows and K columns, and the matrix."""
    bits, group, symmetric = re.fullmatch(r"(?:int(\d)|e4m3fnuz)(?:_g(\d+))?(_sym)?", name).groups()
    is_float, bits, group = not bits, int(bits or 8), int(group or K)
    groups = -(-K // group)
    codes = random.integers(0, 1 << bits, (N, K))
    scales = random.uniform(0.01, 0.1, (N, groups)).astype(numpy.float16)
    if is_float:
        codes[codes == 0x80] = 0
        exponents, mantissas = codes >> 3 & 15, codes & 7
        numbers = numpy.where(exponents > 0, numpy.ldexp(8.0 + mantissas, exponents - 11), numpy.ldexp(1.0 * mantissas, -10))
        numbers = numpy.where(codes & 0x80, -numbers, numbers)
        return {"w_codes": codes.astype(numpy.uint8), "w_scales": scales}, numpy.repeat(scales.astype(float), group, axis=1)[:, :K] * numbers
    has_zeros = group != K and not symmetric
    zeros = random.integers(0, 1 << bits, (N, groups)) if has_zeros else numpy.full((N, groups), 1 << (bits - 1))
    spread = lambda plane: numpy.repeat(plane.astype(float), group, axis=1)[:, :K]
    planes = {"w_scales": scales}
    if bits == 8:
        planes["w_codes"] = (codes - 128).astype(numpy.int8)
    else:
        planes["w_codes"] = words(codes & 15, 4, paired(4))
        if bits > 4:
            planes["w_high"] = words(codes >> 4, bits - 4, paired(bits - 4))
    if has_zeros:
        planes["w_zeros"] = words(zeros.T, bits, lambda j: bits * j).T
    return planes, spread(scales) * (codes - spread(zeros))


FORMATS = (("int8", "f16"), ("int4_g32", "f16"), ("int5_g64", "bf16"), ("int6_g32_sym", "f16"), ("int4", "bf16"), ("e4m3fnuz", "f16"),
           ("e4m3fnuz_g32", "bf16"))
# Waves that share out K: a scale for each part, or for several.
SHARED = ((f"{name}_g128", number, ["--set=waves=1x1x8", f"--set=BK={block}", "--set=BN=16"])
          for name, number, block in (("int4", "bf16", 1024), ("int4", "f16", 512), ("int8", "bf16", 1024), ("int6", "f16", 512)))
CASES = [
    *[("matvec", [], 1, 65, 100, name, number, []) for name, number in FORMATS],
    *[("matmul", ["--m=5"], 5, 65, 100, name, number, []) for name, number in FORMATS],
    *[("matmul", ["--m=16"], 16, 38, 1000, name, number, sets) for name, number, sets in SHARED],
    ("matmul", ["--m=17"], 17, 172, 1056, "int4_g32_sym", "bf16", ["--set=waves=1x1x4", "--set=BK=128", "--set=BM=32", "--set=BN=16"]),
    ("matmul", ["--m=3"], 3, 40, 2000, "int8", "bf16", ["--set=waves=1x1x16", "--set=BK=512", "--set=BN=16"]),
    ("matmul", ["--m=70"], 70, 100, 500, "int4_g128", "bf16", []),
    ("matmul", ["--m=70"], 70, 100, 500, "int8", "f16", []),
]

for kernel, sizes, rows, N, K, name, number, sets in CASES:
    planes, w = planes_of(name, N, K)
    x = to_bits(random.uniform(-1, 1, (rows, K)), number)
    for target in ("gfx942", "gfx90a"):
        made = launches.nstf_kernel(build, [kernel, *sizes, f"--n={N}", f"--k={K}", f"--type={number}", "--out-type=f32",
                                            f"--w-format={name}", *sets], target, folder)
        header = (folder / "kernel.h").read_text()
        lines = []
        for buffer, kind, shape in re.findall(r"/\* (\w+): (\w+)[^\n\[]*\[([^\]]*)\], element", header):
            init = "zeros"
            if buffer != "y":
                data = x if buffer == "x" else planes[buffer]
                data = numpy.ascontiguousarray(data).reshape([int(side) for side in shape.split(",")])
                numpy.save(folder / f"{buffer}.npy", data)
                init = f"{{file: {buffer}.npy}}"
            lines.append(f"  {buffer}: {{type: {kind}, shape: [{shape}], init: {init}}}")
        expected = from_bits(x, number) @ w.T
        numpy.save(folder / "expected.npy", expected.astype(numpy.float32))
        tolerance = TOLERANCE[number] * numpy.abs(expected).max()  # matrix cores multiply numbers of this type
        arguments = ", ".join(f"{{buffer: {one['buffer']}}}" for one in made.arguments)
        (folder / "launch.yaml").write_text(
            f"code_object: {made.code_object.name}\ntarget: {target}\nbuffers:\n" + "\n".join(lines) +
            f"\nlaunches: [{{kernel: {made.symbol}, grid: {made.groups[0]}, block: {made.threads}, args: [{arguments}]}}]\n"
            f"expect: {{y: {{file: expected.npy, atol: {tolerance}}}}}\n")
        done = subprocess.run([build / "bin/nstf-emu", "run", folder / "launch.yaml", "--check=all,hazard:strict", "--quiet"],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{kernel} {name} {rows}x{N}x{K} {' '.join(sets)} {target}: {done.stdout}{done.stderr}")
for kernel in ("matvec", "matmul"):
    print(f"{kernel}: every format is what its header says")
