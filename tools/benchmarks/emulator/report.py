"""tools/bench emulator: how fast the emulator is on this host, beside what the host could compute.

Every rate is measured on this CPU. Rates of one thread count processor time, the rest wall-clock time; `goal` is what
the project promises."""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).resolve().parent
GEMM = FOLDER.parents[2] / "test/runtime/emulator/suite/gemm.hip"
HIP = ["clang-22", "-x", "hip", "-fms-extensions", "-nogpulib", "-nogpuinc", "-O3", "--offload-device-only",
       "--no-gpu-bundle-output", f"-I{FOLDER.parents[2]}"]
GOALS = {"gemm_fast": 0.30, "gemm_exact": 0.05, "valu": {"AVX2": 50e6, "AVX3": 120e6}, "copy": 1.5e9, "threads": 0.9,
         "list": 10.0, "first": 0.2, "first_bytes": 100e6, "launch": 5e-6, "decode": 120.0}
CODE_BYTES = 100 << 20  # beside the kernels whose first launch is timed


def compile_kernels(folder, target):
    files = []
    for source in (FOLDER / "kernels.hip", GEMM):
        files.append(folder / f"{source.stem}.{target}.hsaco")
        subprocess.run(HIP + [f"--offload-arch={target}", source, "-o", files[-1]], check=True)
    return files


def start(program, files, target, threads, seconds, clock, vectors="", cores=None):
    environment = dict(os.environ, **({"NSTF_EMU_VECTORS": vectors} if vectors else {}))
    return subprocess.Popen([program, *files, target, str(threads), str(seconds), clock], env=environment,
                            stdout=subprocess.PIPE, text=True,
                            preexec_fn=lambda: os.sched_setaffinity(0, cores) if cores else None)


def result(process):
    output, _ = process.communicate()
    if process.returncode:
        sys.exit(1)
    return json.loads(output)


def verdict(value, goal):
    return "met" if value >= goal else "MISSED"


def verdict_below(value, goal):
    return "met" if value <= goal else "MISSED"


def one_thread(program, files, target, vectors, seconds):
    row = result(start(program, files, target, 1, seconds, "processor", vectors, {min(os.sched_getaffinity(0))}))
    peak, name = row["peak"], row["vectors"]
    print(f"{target}, host vectors {name}: P = {peak / 1e9:.1f} GFLOP/s (f32 fused multiply-adds, one thread)")
    for key, what in (("gemm_fast", "GEMM 1024^3 f16, whole kernel, fast"), ("gemm_exact", "the same, exact")):
        share = row[key] / peak
        print(f"  {what:38} {row[key] / 1e9:8.1f} GFLOP/s = {share:.2f} P   goal {GOALS[key]:.2f} P: {verdict(share, GOALS[key])}")
    valu = GOALS["valu"].get(name)
    print(f"  {'VALU-bound kernel':38} {row['valu'] / 1e6:8.1f} M wave instructions/s" +
          (f"   goal {valu / 1e6:.0f}: {verdict(row['valu'], valu)}" if valu else ""))
    print(f"  {'copy kernel':38} {row['copy'] / 1e9:8.2f} GB/s copied   goal {GOALS['copy'] / 1e9}: {verdict(row['copy'], GOALS['copy'])}")


def two_threads(program, files, target, seconds, rounds=3):
    """One process with two threads against two with one, in turns."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        return print("  two threads: this machine has one core")
    shares = {"gemm_fast": [], "valu": []}
    for _ in range(rounds):
        together = result(start(program, files, target, 2, seconds, "wall", cores=set(cores)))
        apart = [start(program, files, target, 1, seconds, "wall", cores={core}) for core in cores]
        apart = [result(process) for process in apart]
        for key, values in shares.items():
            values.append(together[key] / sum(row[key] for row in apart))
    for key, values in shares.items():
        share = statistics.median(values)
        print(f"  {'two threads / two processes, ' + key.split('_')[0]:38} {share:8.2f}   "
              f"goal {GOALS['threads']}: {verdict(share, GOALS['threads'])}")


def list_library(binaries, folder, megabytes=300, objects=100):
    """A host library of that size whose .hip_fatbin holds that many code objects."""
    script = FOLDER / "make-library.py"
    library = folder / "large.so"
    subprocess.run([sys.executable, script, library, str(megabytes), str(objects)], check=True)
    begin = time.perf_counter()
    listing = subprocess.run([binaries / "nstf-emu", "list", library, "--json"], check=True, capture_output=True, text=True)
    seconds = time.perf_counter() - begin
    print(f"  {f'nstf-emu list, {library.stat().st_size >> 20} MB, {objects} code objects':38} {seconds:8.2f} s   "
          f"goal {GOALS['list']:.0f}: {verdict_below(seconds, GOALS['list'])} ({len(listing.stdout) >> 10} KB of listing)")


def launches(binaries, folder, target):
    """Through the HIP library, beside much code that isn't reached."""
    file = folder / f"launches.{target}.hsaco"
    subprocess.run(["clang-22", "-x", "assembler-with-cpp", "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}",
                    f"-DDWORDS={CODE_BYTES // 4}", FOLDER / "launches.s", "-o", file], check=True)
    environment = dict(os.environ, NSTF_EMU_TARGET=target, NSTF_EMU_THREADS="1")
    output = subprocess.run([binaries / "bench-emulator-launches", file, str(CODE_BYTES)], env=environment, check=True,
                            capture_output=True, text=True).stdout
    row = json.loads(output)
    beside = f"first launch beside {CODE_BYTES >> 20} MB of code"
    for kernel, what in (("direct", beside), ("pointer", "the same, through a pointer")):
        first, taken = row[kernel]["seconds"], row[kernel]["bytes"]
        print(f"  {what:38} {first:8.3f} s   goal {GOALS['first']}: {verdict_below(first, GOALS['first'])}; "
              f"{taken / 1e6:.1f} MB   goal {GOALS['first_bytes'] / 1e6:.0f}: {verdict_below(taken, GOALS['first_bytes'])}")
    for key, what in (("launch", "launch of an empty kernel"), ("node", "node of a graph")):
        print(f"  {what:38} {row[key] * 1e6:8.2f} us   goal {GOALS['launch'] * 1e6:.0f}: {verdict_below(row[key], GOALS['launch'])}")


def main(binaries, decoded, seconds=2.0):
    """`decoded`: pairs of a model's name and its decode rates in tokens a second."""
    program = binaries / "bench-emulator-kernels"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for target in ("gfx942", "gfx90a"):
            files = compile_kernels(folder, target)
            for vectors in ("", "AVX2"):
                if vectors == "AVX2" and "avx512f" not in open("/proc/cpuinfo").read():
                    continue
                one_thread(program, files, target, vectors, seconds)
            two_threads(program, files, target, seconds)
            launches(binaries, folder, target)
        list_library(binaries, folder)
    for model, rates in decoded:
        rate = statistics.median(rates)
        print(f"  {'decode, ' + model + ', one core':38} {rate:8.1f} tokens/s   goal {GOALS['decode']:.0f}: {verdict(rate, GOALS['decode'])}")
