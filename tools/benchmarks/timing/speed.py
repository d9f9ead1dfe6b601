"""What a prediction costs on this host: recording and model together, beside the launch without a model.

    tools/bench timing speed [ROW ...] [--chip=mi300x]

Each row is a launch in a process of its own, on one thread. Times are processor times of this CPU; the chip's time is only
predicted. `model` is what timing adds to a wave instruction: the timed launch less the untimed one. Exit status 1 where a
stated limit is missed."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[3]
HIP = ["clang-22", "-x", "hip", "-fms-extensions", "-nogpulib", "-nogpuinc", "-O3", "--offload-device-only",
       "--no-gpu-bundle-output", f"-I{ROOT}"]
TARGETS = {"mi300x": "gfx942", "mi300a": "gfx942", "mi308x": "gfx942", "mi250x": "gfx90a", "mi210": "gfx90a"}
MODEL_NS = 120      # what the model may add to a wave instruction
MEMORY_MB = 2048    # beyond the launch's buffers
RATE = {True: 4.0, False: 3.0}  # million wave instructions a second with and without AVX-512


def nstf_kernel(*words):
    """A kernel of nstfc's: its launch and buffers are what the header beside the code object says."""
    def write(build, folder, target):
        header = folder / "kernel.h"
        subprocess.run([build / "bin/nstfc", "kernel", *words, f"--target={target}", "-o", folder / "kernel.hsaco", "--header", header],
                       check=True)
        text = header.read_text()
        threads, groups = re.search(rf'{{"{target}", (\d+), \d+, (\d+)}}', text).groups()
        sizes = re.findall(r"/\* (\w+): [^;]*; (\d+) bytes; ", text)
        symbol = re.search(r'_SYMBOL "(\w+)"', text).group(1)
        return launch_file(folder, target, symbol, int(groups), int(threads), [(name, int(size)) for name, size in sizes])
    return write


def copy_kernel(groups):
    """16 bytes a work-item, from one buffer into another."""
    def write(build, folder, target):
        source = ROOT / "tools/benchmarks/emulator/kernels.hip"
        subprocess.run(HIP + [f"--offload-arch={target}", source, "-o", folder / "kernel.hsaco"], check=True)
        return launch_file(folder, target, "copy", groups, 256, [("from", groups * 4096), ("to", groups * 4096)])
    return write


def launch_file(folder, target, kernel, groups, threads, buffers):
    path = folder / "launch.yaml"
    path.write_text(yaml.safe_dump({
        "code_object": "kernel.hsaco", "target": target,
        "buffers": {name: {"type": "i32", "shape": [size // 4], "init": {"value": 0}} for name, size in buffers},
        "launches": [{"kernel": kernel, "grid": [groups, 1, 1], "block": [threads, 1, 1],
                      "args": [{"buffer": name} for name, _ in buffers]}]}))
    return path, sum(size for _, size in buffers)


class Row:
    """`limit`: seconds; `rate`: whether the limits for a wave instruction hold for it; `full`: nothing is sampled."""

    def __init__(self, name, write, limit=None, rate=False, full=True):
        self.name, self.write, self.limit, self.rate, self.full = name, write, limit, rate, full


# The first four are large enough that making the chip's tables, a tenth of a second, doesn't count.
ROWS = [
    Row("gemm", nstf_kernel("matmul", "--m=2048", "--n=2048", "--k=2048", "--type=f16"), rate=True),
    Row("attention", nstf_kernel("attention", "--m=1024", "--heads=8", "--head-size=128", "--type=f16"), rate=True),
    Row("gemv", nstf_kernel("matvec", "--n=16384", "--k=8192", "--type=f16"), rate=True),
    Row("copy", copy_kernel(65536), rate=True),
    Row("gemm-4096", nstf_kernel("matmul", "--m=4096", "--n=4096", "--k=4096", "--type=f16"), limit=30),
    Row("gemm-8192-sampled", nstf_kernel("matmul", "--m=8192", "--n=8192", "--k=8192", "--type=f16"), limit=30, full=False),
    Row("elementwise-100000-workgroups", copy_kernel(100_000), limit=10),
]


def run(build, launch, report, *options):
    """Processor seconds, largest memory in MB and the launch's report."""
    process = subprocess.Popen([build / "bin/nstf-emu", "run", launch, f"--report={report}", *options], stdout=subprocess.DEVNULL,
                               env=dict(os.environ, NSTF_EMU_THREADS="1"))
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"error: nstf-emu run {launch} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, json.loads(report.read_text())["launches"][0]


def measure(row, build, chip):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        launch, buffers = row.write(build, folder, TARGETS[chip])
        budget = ["--budget=1000000000"] if row.full else ["--sampled-only"]
        start = time.monotonic()
        timed, memory, report = run(build, launch, folder / "timed.json", f"--timing={chip}", "--clock=2000", *budget)
        wall = time.monotonic() - start
        prediction = report["predictions"][0]
        instructions = sum(prediction["issue_slots"].values())
        untimed = run(build, launch, folder / "untimed.json")[0] if row.rate else 0
    rate = instructions / timed / 1e6
    line = f"{row.name:30} {instructions / 1e6:9.2f} M {timed:8.2f} s {rate:7.2f} M/s"
    missed = []
    if row.rate:
        model = (timed - untimed) / instructions * 1e9
        rate_limit = RATE["avx512f" in pathlib.Path("/proc/cpuinfo").read_text()]
        line += f"  model {model:5.0f} ns"
        missed += [f"model > {MODEL_NS} ns"] * (model > MODEL_NS) + [f"rate < {rate_limit} M/s"] * (rate < rate_limit)
    if row.limit:
        line += f"  limit {row.limit} s"
        missed += [f"> {row.limit} s"] * (timed > row.limit)
    beyond = memory - buffers / 2**20
    missed += [f"memory > {MEMORY_MB} MB"] * (beyond > MEMORY_MB)
    print(f"{line}  {beyond:6.0f} MB beyond its buffers  {wall:6.1f} s wall  predicted {prediction['ns'] / 1e3:9.1f} us"
          f"  {'MISSED: ' + ', '.join(missed) if missed else 'met'}", flush=True)
    return not missed


def main():
    parser = argparse.ArgumentParser(prog="tools/bench timing speed", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(row.name for row in ROWS)}; default: all")
    parser.add_argument("--chip", choices=TARGETS, default="mi300x")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    arguments = parser.parse_args()
    known = {row.name: row for row in ROWS}
    for name in arguments.rows:
        if name not in known:
            parser.error(f"expected one of {', '.join(known)} but got {name}")
    rows = [known[name] for name in arguments.rows] or ROWS
    sys.exit(0 if all([measure(row, arguments.build, arguments.chip) for row in rows]) else 1)


if __name__ == "__main__":
    main()
