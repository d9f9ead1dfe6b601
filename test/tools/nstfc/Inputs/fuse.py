"""Compiles a checkpoint with each fusion, runs the packages and compares what they give, byte for byte: fuse.py MODEL FOLDER"""
import json
import pathlib
import subprocess
import sys

import numpy

model, folder = sys.argv[1], pathlib.Path(sys.argv[2])
FORMATS = {"f32": ["--precision=f32"], "f16": ["--precision=f16"], "int8": ["--precision=f16", "--quantize=int8"],
           "int4_g32 kv i8": ["--precision=bf16", "--quantize=int4_g32", "--kv-cache=i8"]}
ROWS = [1, 7, 38]


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


for name, flags in FORMATS.items():
    launches, results = {}, {}
    for fusion in ("all", "none", "pairs", "launches"):
        package = folder / "x.nstf"
        run("rm", "-rf", package)
        run("nstfc", model, "--target=gfx942", f"--max-tokens={max(ROWS)}", *flags, f"--fuse={fusion}", "-o", package)
        manifest = json.loads((package / "manifest.json").read_text())
        launches[fusion] = len(manifest["targets"][0]["buckets"][0]["steps"])
        for rows in ROWS:
            numpy.save(folder / "ids.npy", (numpy.arange(rows) * 7 % 48).astype(numpy.int32))
            run("nstf-run", package, "--device=emulator", "--input", f"ids={folder}/ids.npy", "--output",
                f"logits={folder}/{fusion}.{rows}.npy")
            results[fusion, rows] = numpy.load(folder / f"{fusion}.{rows}.npy").tobytes()
    for (fusion, rows), got in results.items():
        assert got == results["none", rows], f"{name}: {fusion} gives other numbers for {rows} rows"
    print(f"{name}: " + ", ".join(f"{fusion} {count}" + (" launches" if fusion == "all" else "")
                                  for fusion, count in launches.items()) + "; the same numbers")
