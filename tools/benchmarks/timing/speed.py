"""What a prediction costs on this host: recording and model together, beside the launch without a model.

    tools/bench timing speed [ROW ...] [--chip=mi300x] [--vectors=AVX2]

Each row is a launch in a process of its own, on one thread. Times are processor times of this CPU; the chip's time is only
predicted. `model` is what timing adds to a wave instruction: the timed launch less the untimed one. The rate is that of
recording and model together, without what the process takes to start, which the launch of one workgroup tells. Exit status
1 where a stated limit is missed."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from benchmarks import launches

ROOT = launches.ROOT
HIP = ["clang-22", "-x", "hip", "-fms-extensions", "-nogpulib", "-nogpuinc", "-O3", "--offload-device-only",
       "--no-gpu-bundle-output", f"-I{ROOT}"]
TARGETS = {"mi300x": "gfx942", "mi300a": "gfx942", "mi308x": "gfx942", "mi250x": "gfx90a", "mi210": "gfx90a"}
MODEL_NS = 120      # what the model may add to a wave instruction
MEMORY_MB = 2048    # beyond the launch's buffers
RATE = {"avx512": 4.0, "avx2": 3.0}  # million wave instructions a second, by the host's vectors
LLAMA_7B = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008,
            "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 32000,
            "max_position_embeddings": 4096, "rms_norm_eps": 1e-5, "hidden_act": "silu", "torch_dtype": "float16",
            "bos_token_id": 1, "eos_token_id": 2, "tie_word_embeddings": False}


def nstf_kernel(*words):
    def make(build, folder, target):
        return launches.nstf_kernel(build, words, target, folder)
    return make


def copy_kernel(groups):
    """16 bytes a work-item, from one buffer into another."""
    def make(build, folder, target):
        source, code_object = ROOT / "tools/benchmarks/emulator/kernels.hip", folder / "kernel.hsaco"
        subprocess.run(HIP + [f"--offload-arch={target}", source, "-o", code_object], check=True)
        return launches.Kernel(code_object, target, "copy", [groups, 1, 1], 256, {"from": groups * 4096, "to": groups * 4096},
                               [{"buffer": "from"}, {"buffer": "to"}])
    return make


class Row:
    """`limit`: seconds; `rate`: whether the limits for a wave instruction hold for it; `full`: nothing is sampled."""

    def __init__(self, name, make, limit=None, rate=False, full=True):
        self.name, self.make, self.limit, self.rate, self.full = name, make, limit, rate, full


ROWS = [
    Row("gemm", nstf_kernel("matmul", "--m=2048", "--n=2048", "--k=2048", "--type=f16"), rate=True),
    Row("attention", nstf_kernel("attention", "--m=1024", "--heads=8", "--head-size=128", "--type=f16"), rate=True),
    Row("gemv", nstf_kernel("matvec", "--n=16384", "--k=8192", "--type=f16"), rate=True),
    Row("copy", copy_kernel(65536), rate=True),
    Row("gemm-4096", nstf_kernel("matmul", "--m=4096", "--n=4096", "--k=4096", "--type=f16"), limit=30),
    Row("gemm-8192-sampled", nstf_kernel("matmul", "--m=8192", "--n=8192", "--k=8192", "--type=f16"), limit=30, full=False),
    Row("elementwise-100000-workgroups", copy_kernel(100_000), limit=10),
]


def spent(command, environment):
    """Processor seconds and largest memory in MB of a process."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"error: {' '.join(map(str, command))} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def environment_of(vectors):
    return dict(os.environ, NSTF_EMU_THREADS="1", **({"NSTF_EMU_VECTORS": vectors} if vectors else {}))


def run(build, launch, vectors, *options):
    """Processor seconds, largest memory in MB and the launch's report."""
    report = launch.with_suffix(".json")
    seconds, memory = spent([build / "bin/nstf-emu", "run", launch, f"--report={report}", *options], environment_of(vectors))
    return seconds, memory, json.loads(report.read_text())["launches"][0]


def fastest(times, function):
    """Of several runs: other processes only add to a time."""
    return min((function() for _ in range(times)), key=lambda result: result[0])


def measure(row, build, chip, vectors, times):
    timing = [f"--timing={chip}", "--clock=2000"]
    budget = ["--budget=1000000000"] if row.full else ["--sampled-only"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        kernel = row.make(build, folder, TARGETS[chip])
        launch, buffers = launches.write_launch(kernel, folder / "launch.yaml"), sum(kernel.buffers.values())
        timed, memory, report = fastest(times, lambda: run(build, launch, vectors, *timing, *budget))
        prediction = report["predictions"][0]
        instructions = sum(prediction["issue_slots"].values())
        if row.rate:
            one = launches.write_launch(kernel, folder / "one.yaml", groups=1)
            untimed, start = (fastest(times, lambda: run(build, *what))[0]
                              for what in ((launch, vectors), (one, vectors, *timing)))
    line = f"{row.name:30} {instructions / 1e6:9.2f} M {timed:8.2f} s"
    missed = []
    if row.rate:
        model = (timed - untimed) / instructions * 1e9
        rate = instructions / (timed - start) / 1e6
        rate_limit = RATE["avx512" if "avx512f" in pathlib.Path("/proc/cpuinfo").read_text() and vectors != "AVX2" else "avx2"]
        line += f"  model {model:4.0f} ns, {rate:5.2f} M/s"
        missed += [f"model > {MODEL_NS} ns"] * (model > MODEL_NS) + [f"rate < {rate_limit} M/s"] * (rate < rate_limit)
    if row.limit:
        line += f"  limit {row.limit} s"
        missed += [f"> {row.limit} s"] * (timed > row.limit)
    beyond = memory - buffers / 2**20
    missed += [f"memory > {MEMORY_MB} MB"] * (beyond > MEMORY_MB)
    print(f"{line}  {beyond:6.0f} MB beyond its buffers  predicted {prediction['ns'] / 1e3:9.1f} us"
          f"  {'MISSED: ' + ', '.join(missed) if missed else 'met'}", flush=True)
    return not missed


class DecodeStep:
    """A step of Llama-2-7B at batch 1, without weights, from the first token on."""
    name, limit = "llama-7b-decode-step", 60


def measure_decode_step(row, build, chip, vectors, times):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "config.json").write_text(json.dumps(LLAMA_7B))
        package = folder / "llama.nstf"
        subprocess.run([build / "bin/nstfc", folder, "--weights=none", "--tokenizer=none", f"--target={TARGETS[chip]}", "--context=512",
                        "--max-tokens=16", "-o", package], check=True)
        seconds, memory = spent([build / "bin/nstf-run", package, "--device=emulator", f"--timing={chip}", "--ids=1", "--tokens=1",
                                 "--ignore-eos", "--print-ids"], environment_of(vectors))
    missed = seconds > row.limit or memory > MEMORY_MB
    print(f"{row.name:30} {seconds:21.2f} s  limit {row.limit} s  {memory:6.0f} MB in all  {'MISSED' if missed else 'met'}", flush=True)
    return not missed


ROWS.append(DecodeStep())


def main():
    parser = argparse.ArgumentParser(prog="tools/bench timing speed", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(row.name for row in ROWS)}; default: all")
    parser.add_argument("--chip", choices=TARGETS, default="mi300x")
    parser.add_argument("--vectors", choices=["AVX2"], default="", help="instead of the widest that this CPU has")
    parser.add_argument("--times", type=int, default=3, help="runs, of which the fastest counts (default: %(default)s)")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    arguments = parser.parse_args()
    known = {row.name: row for row in ROWS}
    for name in arguments.rows:
        if name not in known:
            parser.error(f"expected one of {', '.join(known)} but got {name}")
    rows = [known[name] for name in arguments.rows] or ROWS
    met = [(measure_decode_step if isinstance(row, DecodeStep) else measure)(
        row, arguments.build, arguments.chip, arguments.vectors, 1 if row.limit else arguments.times) for row in rows]
    sys.exit(0 if all(met) else 1)


if __name__ == "__main__":
    main()
