"""same_report.py NSTF-EMU KERNELS: predicts launches in several processes and compares their reports byte by byte.

A matrix product, atomics whose order decides, workgroups that wait for a lock and a launch that is sampled, on one thread
and on three, at random addresses and, where that is allowed, at those of a process without randomisation. What is left
out is how long the emulator took.
"""
import difflib
import os
import re
import subprocess
import sys
import tempfile

LAUNCHES = """
target: {target}
code_object: {kernels}/suite/atomics.{target}.O3.hsaco
buffers:
  a: {{type: f16, shape: [128, 256], init: {{random: {{seed: 1}}}}}}
  b: {{type: f16, shape: [128, 256], init: {{random: {{seed: 2}}}}}}
  c: {{type: f32, shape: [128, 128], init: zeros}}
  numbers: {{type: i32, shape: [1000], init: {{random: {{seed: 3, low: 0, high: 1000}}}}}}
  kept: {{type: i32, shape: [1000], init: zeros}}
  words: {{type: u32, shape: [4], init: zeros}}
  x: {{type: f32, shape: [2048000], init: {{random: {{seed: 4}}}}}}
  y: {{type: f32, shape: [2048000], init: zeros}}
launches:
  - {{kernel: gemm_f16, code_object: {kernels}/suite/gemm.{target}.O3.hsaco, grid: [1, 1], block: 256,
     args: [{{buffer: a}}, {{buffer: b}}, {{buffer: c}}, {{i32: 128}}, {{i32: 128}}, {{i32: 256}}]}}
  - {{kernel: compact, grid: 8, block: 128, args: [{{buffer: numbers}}, {{buffer: kept}}, {{buffer: words}}, {{i32: 1000}}]}}
  - {{kernel: locked, grid: 12, block: 128, args: [{{buffer: words, offset: 4}}, {{buffer: words, offset: 8}}]}}
  - {{kernel: vectorAdd, code_object: {kernels}/kernels.{target}.hsaco, grid: 8000, block: 256,
     args: [{{buffer: x}}, {{buffer: x}}, {{buffer: y}}, {{i32: 2048000}}]}}
outputs: {{c: c.npy, kept: kept.npy, words: words.npy, y: y.npy}}
"""


def reports(command, folder, chip, threads):
    """What a run says and writes, but for the time that the emulator took."""
    call = [*command, "run", "launch.yaml", f"--timing={chip}", "--budget=20000", "--report=report.json"]
    environment = {**os.environ, "NSTF_EMU_THREADS": str(threads)}
    text = subprocess.run(call, cwd=folder, env=environment, check=True, capture_output=True, text=True).stdout
    with open(f"{folder}/report.json") as file:
        json = file.read()
    outputs = {}
    for name in ("c", "kept", "words", "y"):
        with open(f"{folder}/{name}.npy", "rb") as file:
            outputs[name] = file.read()
    return {
        "text": "".join(line for line in text.splitlines(True) if "emulator's time" not in line),
        "json": re.sub(r'"emulator_seconds": *[^,}]*', "", json),
        **outputs,
    }


def main():
    emulator, kernels = sys.argv[1:]
    fixed = ["setarch", "-R"]
    if subprocess.run([*fixed, "true"], capture_output=True).returncode:
        print("addresses are always random here: setarch -R is not allowed")
        fixed = []
    failed = False
    for chip, target in (("mi300x", "gfx942"), ("mi250x", "gfx90a")):
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/launch.yaml", "w") as file:
                file.write(LAUNCHES.format(target=target, kernels=kernels))
            first = reports([emulator], folder, chip, threads=1)
            if "90 % interval" not in first["text"] or "of 8000 workgroups simulated" not in first["text"]:
                raise SystemExit(f"{chip}: expected a launch that is sampled but got\n{first['text']}")
            for command, threads in (([emulator], 3), ([*fixed, emulator], 2)):
                again = reports(command, folder, chip, threads)
                for what in first:
                    if first[what] != again[what]:
                        failed = True
                        print(f"{chip}, {threads} threads: {what} differs from that of one thread")
                for what in ("text", "json"):
                    lines = difflib.unified_diff(first[what].splitlines(), again[what].splitlines(), n=0, lineterm="")
                    print("".join(line + "\n" for line in lines), end="")
    return failed


if __name__ == "__main__":
    sys.exit(main())
