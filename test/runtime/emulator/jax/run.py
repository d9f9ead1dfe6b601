"""Kernels of JAX's plugin for ROCm 7, as AMD's compiler built them (compressed bundles in shared libraries), on the emulator
against numpy: random numbers, pivots to permutations, and the update of a Cholesky factor, a cooperative kernel.

    run.py --target gfx942 --library build/lib/emulator/libamdhip64.so

The package (with_packages.py) is on sys.path. The emulator's variables apply.

Under checks, one thing is found: between its stores and the atomic addition by which a workgroup arrives at the grid's barrier,
the Cholesky kernel has buffer_wbl2 but no s_waitcnt vmcnt(0), so nothing says that the stores come first.
"""
import importlib.util
import os
import pathlib
import subprocess
import sys

import numpy

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from emulator import Device  # noqa: E402

random = numpy.random.default_rng(1)
NAMESPACE = "_ZN3jax3hip12_GLOBAL__N_1"


def bundle_of(name):
    """The first offload bundle in one of the plugin's libraries."""
    folder = pathlib.Path(importlib.util.find_spec("jax_rocm7_plugin").submodule_search_locations[0])
    library = (folder / name).read_bytes()
    return library[library.index(b"CCOB") :]


def expect(name, got, expected, tolerance=0.0):
    wrong = ~(numpy.abs(got - expected) <= tolerance * (1 + numpy.abs(expected)))
    if wrong.any():
        at = tuple(int(i) for i in numpy.argwhere(wrong)[0])
        raise SystemExit(f"{name}: {wrong.sum()} of {wrong.size} wrong, first at {at}: expected {expected[at]} but got {got[at]}")
    print(f"ok {name}")


def threefry(key0, key1, x0, x1):
    """Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011: Threefry 2x32, twenty rounds."""
    keys = [key0, key1, key0 ^ key1 ^ numpy.uint32(0x1BD11BDA)]
    rotations = [[13, 15, 26, 6], [17, 29, 16, 24]]
    x0, x1 = x0 + keys[0], x1 + keys[1]
    for group in range(5):
        for r in rotations[group % 2]:
            x0 = x0 + x1
            x1 = (x1 << numpy.uint32(r) | x1 >> numpy.uint32(32 - r)) ^ x0
        x0, x1 = x0 + keys[(group + 1) % 3], x1 + keys[(group + 2) % 3] + numpy.uint32(group + 1)
    return x0, x1


def random_numbers(device, n):
    inputs = [random.integers(0, 2**32, n, dtype=numpy.uint32) for _ in range(4)]
    outputs = [numpy.zeros(n, numpy.uint32) for _ in range(2)]
    device.launch(bundle_of("_prng.so"), NAMESPACE + "18ThreeFry2x32KernelEPKjS3_S3_S3_PjS4_lPKl", (3, 1, 1), 128, 0,
                  [*inputs, *outputs, ("q", n), None])
    for name, got, expected in zip("01", outputs, threefry(*inputs)):
        expect(f"threefry {n}, word {name}", got.astype(numpy.int64), expected.astype(numpy.int64))


def pivots(device, batch, pivot_count, size):
    pivots = numpy.stack([random.integers(i, size, batch) for i in range(pivot_count)], 1).astype(numpy.int32)
    permutations = numpy.zeros((batch, size), numpy.int32)
    device.launch(bundle_of("_linalg.so"), NAMESPACE + "27LuPivotsToPermutationKernelEPKiPilii", (2, 1, 1), 64, 0,
                  [pivots, permutations, ("q", batch), ("i", pivot_count), ("i", size)])
    expected = numpy.tile(numpy.arange(size, dtype=numpy.int32), (batch, 1))
    for row in range(batch):
        for i, j in enumerate(pivots[row]):
            expected[row, [i, j]] = expected[row, [j, i]]
    expect(f"pivots {batch}x{pivot_count} to permutations of {size}", permutations, expected)


def cholesky_update(device, type, letter, n, tolerance):
    """R^T R + u u^T, R upper triangular: a diagonal at a step, with the whole grid's barrier in between."""
    factor = numpy.triu(random.uniform(-1, 1, (n, n)) + 2 * numpy.eye(n)).astype(type)
    vector = random.uniform(-1, 1, n).astype(type)
    wide = factor.astype(numpy.float64)
    expected = wide.T @ wide + numpy.outer(vector, vector).astype(numpy.float64)
    device.launch(bundle_of("_linalg.so"), NAMESPACE + f"20CholeskyUpdateKernelI{letter}EEvPT_S4_i", (-(-n // 64), 1, 1), 64, 0,
                  [factor, vector, ("i", n)], cooperative=True)
    got = factor.astype(numpy.float64)
    expect(f"update of a Cholesky factor, {n}x{n} {type.__name__}", got.T @ got, expected, tolerance)


def main():
    os.environ["NSTF_EMU_TARGET"] = sys.argv[sys.argv.index("--target") + 1]
    device = Device(sys.argv[sys.argv.index("--library") + 1])
    for n in (1, 1000):
        random_numbers(device, n)
    pivots(device, 1, 5, 5)
    pivots(device, 70, 9, 23)
    for n in (1, 50, 200):
        cholesky_update(device, numpy.float32, "f", n, 1e-4)
        cholesky_update(device, numpy.float64, "d", n, 1e-12)


def check():
    """Runs this program in a process of its own, and compares what its checks found."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "NSTF_EMU_CHECK_EXIT": "0"}
    run = subprocess.run([sys.executable, *sys.argv, "--unchecked"], stderr=subprocess.PIPE, text=True, env=environment)
    sys.stderr.write(run.stderr)
    found = [line for line in run.stderr.splitlines() if line.startswith("  ")]
    kernels = [next((kind for kind in "fd" if f"  race order: kernel '{NAMESPACE}20CholeskyUpdateKernelI{kind}E" in line), line)
               for line in found]
    if run.returncode or set(kernels) != {"f", "d"}:
        raise SystemExit(f"expected accesses without an order in both Cholesky kernels, and nothing else, but got {kernels}")


if __name__ == "__main__":
    if "all" in os.environ.get("NSTF_EMU_CHECK", "") and "--unchecked" not in sys.argv:
        check()
    else:
        main()
