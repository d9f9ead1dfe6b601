"""pack.py FOLDER: a matrix through `nstfc pack` and back by what the headers of kernels say of planes (w_format.py makes planes by it).
pack.py FOLDER FORMAT: the planes beside those of FOLDER/m.nstf.
"""
import json
import pathlib
import re
import subprocess
import sys

import numpy

folder = pathlib.Path(sys.argv[1])
random = numpy.random.default_rng(5)
N, K = 65, 100


def fields(words, bits, place, count):
    """Codes of words, of which code j begins at bit place(j)."""
    each = 32 // bits
    words = words.view(numpy.uint32)[..., None] >> numpy.array([place(j) for j in range(each)], dtype=numpy.uint32)
    return (words & numpy.uint32((1 << bits) - 1)).reshape(len(words), -1)[:, :count].astype(int)


def paired(bits):
    return lambda j: bits * (j // 2) + 16 * (j % 2)


def float8(codes):
    """e4m3fnuz."""
    exponent, mantissa = codes >> 3 & 15, codes & 7
    value = numpy.where(exponent > 0, (8 + mantissa) * 2.0 ** (exponent - 11), mantissa * 2.0**-10)
    return numpy.where(codes & 0x80, -value, value)


def decode(path, name):
    """Numbers, and how far each may be from what was packed."""
    planes = {file.stem: numpy.load(file) for file in path.iterdir()}
    group = int((re.search(r"_g(\d+)", name) or [0, K])[1])
    spread = lambda plane: numpy.repeat(plane.astype(float), group, axis=1)[:, :K]
    scales = spread(planes["scales"])
    if name.startswith("e4m3fnuz"):
        numbers = float8(planes["codes"].astype(int))
        return scales * numbers, numpy.maximum(numpy.abs(scales * numbers) / 16, numpy.abs(scales) * 2.0**-11) * 1.01
    bits = int(name[3])
    codes = planes["codes"].astype(int) + 128 if bits == 8 else fields(planes["codes"], 4, paired(4), K)
    if "high" in planes:
        codes += fields(planes["high"], bits - 4, paired(bits - 4), K) << 4
    zeros = 1 << bits - 1
    if "zeros" in planes:
        zeros = spread(fields(numpy.ascontiguousarray(planes["zeros"].T), bits, lambda j: bits * j, N).T)
    # The number of largest magnitude is code 0, so a scale may be negative, and the last code is a step short of what mirrors it. A
    # scale of f16 leaves the ends of a range up to 2^bits / 2^11 steps off.
    lopsided = (codes == (1 << bits) - 1) & ("zeros" not in planes)
    return scales * (codes - zeros), numpy.abs(scales) * numpy.where(lopsided, 1.15, 0.65)


if len(sys.argv) > 2:
    content = (folder / "m.nstf" / "weights.safetensors").read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    planes = list((folder / sys.argv[2]).iterdir())
    for file in planes:
        begin, end = json.loads(content[8:start])[f"w.{file.stem}"]["data_offsets"]
        assert content[start + begin:start + end] == numpy.load(file).tobytes(), file
    sys.exit(print(f"{len(planes)} planes: as in the package"))

w = random.uniform(-1, 1, (N, K)) * random.uniform(0.1, 3, (N, 1))
numpy.save(folder / "w.npy", w.astype(numpy.float32))
numpy.save(folder / "vector.npy", numpy.zeros(5, numpy.float32))
broken = w.astype(numpy.float32)
broken[3, 7] = numpy.nan
numpy.save(folder / "nan.npy", broken)
(folder / "model.mlir").write_text(
    f'nstf.weight @w : tensor<{N}x{K}xf32> from <"{folder}/w.npy", offset = {(folder / "w.npy").stat().st_size - 4 * N * K}, type = f32>\n'
    f'nstf.graph @main(%x: tensor<?x{K}xf32> {{nstf.name = "x"}}) -> (tensor<?x{N}xf32> {{nstf.name = "y"}}) attributes {{context = 8 : i64}} {{\n'
    f"  %w = nstf.get @w : tensor<{N}x{K}xf32>\n"
    f"  %y = nstf.linear %x, %w : (tensor<?x{K}xf32>, tensor<{N}x{K}xf32>) -> tensor<?x{N}xf32>\n  nstf.return %y : tensor<?x{N}xf32>\n}}\n")
names = ["int8", "int8_g64", "int6_g32", "int6", "int5_g32", "int4_g64", "int4_asym", "int4_g32_sym", "e4m3fnuz"]
for name in names:
    subprocess.run(["nstfc", "pack", folder / "w.npy", f"--format={name}", "-o", folder / name], check=True)
    numbers, allowed = decode(folder / name, name)
    error = numpy.abs(numbers - w.astype(numpy.float32))
    assert (error <= allowed).all(), (name, (error / allowed).max())
    assert (error > 0).any(), name
print(f"{len(names)} formats: numbers are within half a step")
