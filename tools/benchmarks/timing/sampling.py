"""Sampled times beside full ones: fourteen kernels, simulated whole and with a small budget.

Prints both, the error, the 90 % interval and how much was simulated; exit status 1 where an error is beyond 5 % or fewer
than 80 % of the intervals hold the full time. The chip is one XCD of MI300X with its part of MALL and HBM, so that a
launch of many rounds can be simulated whole in seconds."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
LIMIT, HELD, BUDGET = 0.05, 0.80, 1_300_000
COMPILER = ["clang++-22", "-x", "hip", "-nogpulib", "-nogpuinc", "-O3", "--offload-arch=gfx942", "--offload-device-only",
            "--no-gpu-bundle-output", "-mcode-object-version=5"]
CHIP = """name: xcd
target: gfx942
description: an XCD of MI300X
base: mi300x
constants:
"""
PARTS = {"compute_units": (38, "count"), "xcds": (1, "count"), "mall_bytes": (32 << 20, "B"), "mall_slices": (16, "count"),
         "mall_read_bandwidth": (675, "GB/s"), "mall_write_bandwidth": (630, "GB/s"),
         "mall_copy_bandwidth": (525, "GB/s"), "hbm_channels": (16, "count"),
         "hbm_read_bandwidth": (510, "GB/s"), "hbm_write_bandwidth": (590, "GB/s"), "hbm_copy_bandwidth": (500, "GB/s")}
MEGABYTES = {"a": 128, "b": 128, "c": 128, "d": 64, "lengths": 8, "flags": 1}


def buffers(*names):
    return [{"buffer": name} for name in names]


def numbers(*values):
    return [{"i32": value} for value in values]


def gemm(x, y, k):
    return "gemm", [x, y], 256, buffers("a", "b", "c") + numbers(x * 128, k)


# name: kernel, grid, block, arguments
KERNELS = {
    "GEMM without a tail": gemm(19, 40, 512),
    "GEMM with a tail": gemm(28, 28, 512),
    "GEMM, short k": gemm(36, 50, 128),
    "stream-K": ("streamK", [38], 256, buffers("a", "b", "c") + numbers(768, 512, 36, 38) + buffers("d", "flags")),
    "causal attention": ("causalAttention", [4, 600], 128, buffers("a", "b", "c", "d") + numbers(512)),
    "causal attention, rising": ("risingAttention", [600, 4], 128, buffers("a", "b", "c", "d") + numbers(512)),
    "ragged attention": ("raggedAttention", [4, 600], 128, buffers("a", "b", "c", "d", "lengths")),
    "RMS norm": ("rmsNorm", [2000], 256, buffers("a", "b") + numbers(4096)),
    "ragged sums": ("raggedSum", [6000], 256, buffers("a", "lengths", "b")),
    "GEMV": ("gemv", [2000], 256, buffers("a", "b", "c") + numbers(4096)),
    "elementwise, 4 bytes": ("scale", [50000], 256, buffers("a", "b") + [{"f32": 2}]),
    "elementwise, 64 bytes": ("add", [7000], 256, buffers("a", "b", "c")),
    "arithmetic": ("arithmetic", [3000], 256, buffers("a") + numbers(40)),
    "gather": ("gather", [8000], 256, buffers("lengths", "a", "b")),
}


def launch_file(folder, name):
    kernel, grid, block, arguments = KERNELS[name]
    used = {argument["buffer"] for argument in arguments if "buffer" in argument}
    shapes = {buffer: {"type": "i32" if buffer in ("lengths", "flags") else "f32", "shape": [MEGABYTES[buffer] << 18]}
              for buffer in MEGABYTES if buffer in used}
    if "lengths" in shapes:
        shapes["lengths"]["init"] = {"bytes": str(folder / "lengths.bin")}
    text = {"code_object": str(folder / "kernels.hsaco"), "buffers": shapes,
            "launches": [{"kernel": kernel, "grid": grid, "block": block, "args": arguments}]}
    path = folder / "launch.yaml"
    path.write_text(json.dumps(text))  # JSON is YAML
    return path


def predict(emulator, folder, name, budget):
    report = folder / "report.json"
    run = subprocess.run([emulator, "run", launch_file(folder, name), f"--timing={folder / 'chip.yaml'}", "--clock=2100",
                          f"--budget={budget}", f"--report={report}"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if run.returncode:
        sys.exit(f"error: {name}: {run.stderr.strip()}")
    launch = json.loads(report.read_text())["launches"][0]
    return launch, launch["predictions"][0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", default="", help="only those whose name holds this")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="the build folder")
    arguments = parser.parse_args()
    emulator = arguments.build / "bin" / "nstf-emu"
    print(f"{'kernel':26} {'workgroups':>10} {'simulated':>9} {'strata':>6} {'full':>11} {'sampled':>11} {'error':>7}   "
          "90 % interval, predicted us without the launch")
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([*COMPILER, pathlib.Path(__file__).parent / "sampling" / "kernels.hip", "-o", folder / "kernels.hsaco"],
                       check=True)
        constants = [f"  {key}: {{value: {value}, unit: {unit}, mark: U, source: an eighth}}\n"
                     for key, (value, unit) in PARTS.items()]
        (folder / "chip.yaml").write_text(CHIP + "".join(constants))
        lengths = ((i * 2654435761 >> 16) % 16 * 32 + 32 for i in range(MEGABYTES["lengths"] << 18))
        (folder / "lengths.bin").write_bytes(b"".join(length.to_bytes(4, "little") for length in lengths))
        for kernel in KERNELS:
            if arguments.kernel not in kernel:
                continue
            _, full = predict(emulator, folder, kernel, 10**12)
            _, sampled = predict(emulator, folder, kernel, BUDGET)
            launch = sampled["launch_ns"]
            low, high = [limit - launch for limit in sampled.get("interval_ns", [sampled["ns"]] * 2)]
            error = sampled["execution_ns"] / full["execution_ns"] - 1
            held = low * (1 - 1e-9) <= full["execution_ns"] <= high * (1 + 1e-9)
            rows.append((abs(error), kernel, held))
            sample = sampled.get("sample", {})
            print(f"{kernel:26} {sample.get('workgroups', 0):10} {sample.get('simulated', 0):9} {sample.get('strata', 1):6} "
                  f"{full['execution_ns'] / 1e3:11.2f} {sampled['execution_ns'] / 1e3:11.2f} {100 * error:+6.2f}%   {low / 1e3:.2f} to "
                  f"{high / 1e3:.2f}{'' if held else '  misses'}", flush=True)
    if not rows:
        sys.exit(f"error: expected a part of a kernel's name but got {arguments.kernel}: {', '.join(KERNELS)}")
    worst, kernel, _ = max(rows)
    held = sum(row[2] for row in rows)
    print(f"largest error {100 * worst:.2f}% ({kernel}), at most {100 * LIMIT:.0f}%; {held} of {len(rows)} intervals hold the "
          f"full time, at least {100 * HELD:.0f}%")
    sys.exit(worst > LIMIT or held < HELD * len(rows))


if __name__ == "__main__":
    main()
