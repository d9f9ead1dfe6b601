"""Runs a package of examples/04-matmul with 1 to 64 rows and compares y = silu(x * w^T + b) with float64.

check_matmul.py PACKAGE TARGET FOLDER: calls nstf-run; FOLDER takes the files. The weights are those of --weights=random:1, computed
here once more from the formula in runtime/include/nstf/RandomWeights.h.
"""
import math
import subprocess
import sys

import numpy

MASK = (1 << 64) - 1


def mix(x):
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def random_weights(seed, name, shape):
    key = 0xCBF29CE484222325
    for byte in name.encode():
        key = ((key ^ byte) * 0x100000001B3) & MASK
    key = mix(seed ^ key)
    scale = numpy.float32(math.sqrt(3 / shape[-1])) if len(shape) > 1 else numpy.float32(1)
    bits = [mix((key + (i + 1) * 0x9E3779B97F4A7C15) & MASK) >> 40 for i in range(math.prod(shape))]
    units = (numpy.array(bits, dtype=numpy.float32) / numpy.float32(2**23) - numpy.float32(1)) * scale
    return units.reshape(shape).astype(numpy.float64)


package, target, folder = sys.argv[1:]
w, b = random_weights(1, "w", (96, 64)), random_weights(1, "b", (96,))
for rows in (1, 2, 7, 16, 17, 40, 64):
    x = numpy.random.default_rng(rows).standard_normal((rows, 64)).astype(numpy.float32)
    numpy.save(f"{folder}/x.npy", x)
    subprocess.run(["nstf-run", package, f"--target={target}", "--device=emulator", f"--input=x={folder}/x.npy",
                    f"--output=y={folder}/y.npy"], check=True)
    z = x.astype(numpy.float64) @ w.T + b
    y = numpy.load(f"{folder}/y.npy")
    assert y.shape == (rows, 96), y.shape
    error = numpy.abs(y - z / (1 + numpy.exp(-z))).max()
    assert error < 1e-5, f"{rows} rows: off by {error}"
print("all rows as expected")
