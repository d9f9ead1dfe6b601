"""row_bits.py BUILD FOLDER: a row of a product with codes of 4 bits has the same bits alone and beside others."""
import pathlib
import re
import subprocess
import sys

import numpy

build, folder = map(pathlib.Path, sys.argv[1:])
folder.mkdir(parents=True, exist_ok=True)
random = numpy.random.default_rng(3)
N, K, MOST = 40, 1152, 16
planes = {
    "x": (random.standard_normal((MOST, K)).astype(numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16),
    "w_codes": random.integers(-2**31, 2**31, (N, K // 8)).astype(numpy.int32),
    "w_scales": random.uniform(0.01, 0.1, (N, K // 128)).astype(numpy.float16),
    "w_zeros": random.integers(-2**31, 2**31, (N // 8, K // 128)).astype(numpy.int32),
}


def multiply(rows, target):
    command = [build / "bin/nstfc", "kernel", "matmul", f"--m={rows}", f"--n={N}", f"--k={K}", "--type=bf16", "--out-type=f32",
               "--w-format=int4_g128", f"--target={target}", "-o", folder / "k.hsaco", "--launch", folder / "k.yaml"]
    subprocess.run(command, check=True, capture_output=True)
    launch = (folder / "k.yaml").read_text()
    for name, plane in planes.items():
        numpy.save(folder / f"{name}.npy", plane[:rows] if name == "x" else plane)
        launch, found = re.subn(rf"(  {name}: .*init: ){{random: {{.*?}}}}", rf"\1{{file: {name}.npy}}", launch)
        assert found == 1, name
    (folder / "launch.yaml").write_text(launch + "outputs: {y: y.npy}\n")
    subprocess.run([build / "bin/nstf-emu", "run", folder / "launch.yaml", "--quiet"], check=True)
    return numpy.load(folder / "y.npy").view(numpy.uint32)


for target in ("gfx942", "gfx90a"):
    together = multiply(MOST, target)
    assert len(numpy.unique(together)) > N, "results differ"
    for rows in (1, 2, 7):
        assert (multiply(rows, target) == together[:rows]).all(), f"{target}, {rows} rows"
    print(f"{target}: the same bits")
