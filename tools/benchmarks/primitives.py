"""The table of `tools/bench primitives`: what one launch list of each operation executes and moves, and how exact it is.

A row is compiled for both chips, run once on the emulator and compared with the float64 reference, all by
`nstfc --verify`; counts are the emulator's (nstf/EmulatorStatistics.h). Nothing here is a time of a chip."""

import array
import fnmatch
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

from benchmarks import h200

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CHIPS = ["gfx942", "gfx90a"]
CLASSES = ["matrix", "vector", "lds", "vectorMemory", "scalar", "scalarMemory", "branch", "other"]
BYTES = ["globalBytesLoaded", "globalBytesStored", "ldsBytesLoaded", "ldsBytesStored", "scratchBytesLoaded",
         "scratchBytesStored", "scalarBytesLoaded", "scalarBytesStored"]


class Row:
    """One operation at one size. `graph`: a YAML graph as data, or a file. Its weights are random unless it names a
    checkpoint; `files` writes what it needs into a folder and gives further options. `only`: what the kernels' names
    begin with that are counted, where the graph needs others to be one."""

    def __init__(self, name, graph, tokens, position=0, precision="f32", files=None, only="", slow=False):
        self.name, self.graph, self.tokens, self.position = name, graph, tokens, position
        self.precision, self.files, self.only, self.slow = precision, files, only, slow

    @property
    def title(self):
        return f"{self.name} {self.precision}"


def graph(inputs, nodes, weights=None, states=None, context=1, **more):
    """A graph whose last node is its output y."""
    last = list(nodes)[-1]
    data = {"name": "row", "context": context, "inputs": inputs, "nodes": nodes, "outputs": {"y": last}, **more}
    if weights:
        data["weights"] = weights
    if states:
        data["states"] = states
    return data


def node(op, *operands, **attributes):
    return {"op": op, "operands": list(operands), **({"attributes": attributes} if attributes else {})}


# Files that rows need


def small_integers(count, seed):
    """-8 … 8: sums of 512 products of two are exact in f32, the numbers themselves in f16 and bf16."""
    source = random.Random(seed)
    return array.array("f", (source.randint(-8, 8) for _ in range(count))).tobytes()


def write_npy(path, shape, data):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def write_safetensors(path, name, shape, data):
    header = json.dumps({name: {"dtype": "F32", "shape": shape, "data_offsets": [0, len(data)]}})
    header += " " * (-len(header) % 8)
    path.write_bytes(struct.pack("<Q", len(header)) + header.encode() + data)


def integer_gemm(m, n, k):
    def write(folder):
        write_safetensors(folder / "w.safetensors", "w", [n, k], small_integers(n * k, 1))
        write_npy(folder / "x.npy", [m, k], small_integers(m * k, 2))
        return ["--weights=pack", f"--verify-input=x={folder / 'x.npy'}"]
    return write


# The rows


def gemm(m, n, k, precision):
    data = graph({"x": ["tokens", k]}, {"product": node("linear", "x", "w")}, {"w": [n, k]}, context=m,
                 checkpoint="w.safetensors")
    return Row(f"gemm {m}x{n}x{k}", data, m, precision=precision, files=integer_gemm(m, n, k), only="linear")


def linear(m, n, k, precision="f32"):
    return Row(f"linear M={m} N={n} K={k}",
               graph({"x": ["tokens", k]}, {"product": node("linear", "x", "w")}, {"w": [n, k]}, context=m), m,
               precision=precision)


def rms_norm(m, k):
    return Row(f"rms_norm {m}x{k}",
               graph({"x": ["tokens", k]}, {"norm": node("rms_norm", "x", "w", eps=1e-5)}, {"w": [k]}, context=m), m)


def rope(m, k, heads):
    frequencies = f"rope_frequencies({k // heads}, 10000.0)"
    return Row(f"rope {m}x{k} heads {heads}",
               graph({"x": ["tokens", k]},
                     {"turned": node("rope", "x", head_size=k // heads, inv_freq=frequencies)}, context=2048), m)


def kv_append(m, k, context):
    return Row(f"kv_append {m}x{k} into {context}",
               graph({"x": ["tokens", k]}, {"cached": node("kv_append", "x", "cache"), "computed": node("silu", "x")},
                     states={"cache": [context, k]}, context=context), m, position=511, only="kv_append")


def softmax(m, k):
    return Row(f"softmax {m}x{k}", graph({"x": ["tokens", k]}, {"weights": node("softmax", "x")}, context=m), m)


def swiglu(m, k):
    return Row(f"swiglu {m}x{k}",
               graph({"gate": ["tokens", k], "up": ["tokens", k]}, {"product": node("swiglu", "gate", "up")}, context=m),
               m)


def attention(m, position, heads, kv_heads, size, context, precision="f32"):
    q, k = heads * size, kv_heads * size
    data = graph({"q": ["tokens", q], "k": ["tokens", k], "v": ["tokens", k]},
                 {"k_append": node("kv_append", "k", "k_cache"), "v_append": node("kv_append", "v", "v_cache"),
                  "attended": node("attention", "q", "k_append", "v_append", heads=heads, kv_heads=kv_heads,
                                   causal=True, scale=size ** -0.5)},
                 states={"k_cache": [context, k], "v_cache": [context, k]}, context=context)
    heads_text = f"{heads}/{kv_heads}" if kv_heads != heads else f"{heads}"
    return Row(f"attention {m} at {position} heads {heads_text} size {size}", data, m, position, precision,
               only="attention")


def block(m, position, precision):
    return Row(f"llama-2-7b block {m} at {position}", ROOT / "examples" / "02-llama-block" / "block.yaml", m, position,
               precision, slow=True)


PRECISIONS = ["f32", "f16", "bf16"]
ROWS = [
    *(gemm(512, 512, 512, precision) for precision in PRECISIONS),
    linear(1, 4096, 4096),
    linear(64, 4096, 4096),
    rms_norm(10, 4096),
    rope(1, 4096, 32),
    rope(64, 4096, 32),
    kv_append(1, 4096, 2048),
    softmax(64, 4096),
    swiglu(1, 11008),
    swiglu(64, 11008),
    attention(1, 511, 32, 32, 128, 2048),
    attention(1, 4095, 32, 8, 128, 4096, "bf16"),
    attention(64, 0, 32, 32, 128, 2048),
    *(block(1, 511, precision) for precision in PRECISIONS),
    *(block(64, 0, precision) for precision in PRECISIONS),
]

# Running


def run(row, binaries, chips):
    """A result for each chip: the sums over the row's launches, and the largest error."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        options = row.files(folder) if row.files else ["--weights=random:1"]
        model = row.graph
        if isinstance(model, dict):
            model = folder / "row.yaml"
            model.write_text(json.dumps(row.graph))  # JSON is YAML
        command = [binaries / "nstfc", model, "--fuse=none", f"--precision={row.precision}",
                   *(f"--target={chip}" for chip in chips),
                   "-o", folder / "row.nstf", "--verify", f"--verify-steps={row.tokens}@{row.position}",
                   f"--verify-report={folder / 'report.json'}", *options]
        done = subprocess.run(command, capture_output=True, text=True)
        report = folder / "report.json"
        if done.returncode and not report.exists():
            raise RuntimeError(f"{row.title}: {done.stderr.strip() or done.stdout.strip()}")
        return [result(row, entry) for entry in json.loads(report.read_text())]


def result(row, entry):
    if "error" in entry:
        raise RuntimeError(f"{row.title}, {entry['target']}: {entry['error']}")
    executed = [kernel for kernel in entry["executed"] if kernel["kernel"].startswith(row.only)]
    sums = {key: sum(kernel[key] for kernel in executed)
            for key in ["launches", "workgroups", "waves", *CLASSES, *BYTES]}
    # Of the row as a whole, its outputs and states; of the one kernel where the graph needs others beside it.
    worst = 0.0
    for line in entry["compared"]:
        is_meant = line["name"].startswith(row.only) if line["kind"] == "kernel" and row.only else \
            line["kind"] != "kernel" and not row.only
        if is_meant and line["error"] != 0:
            known = line["error"] is not None and line["largest"] > 0
            worst = max(worst, line["error"] / line["largest"] if known else float("inf"))
    passes = all(line["error"] is not None and line["error"] <= line["allowed"] for line in entry["compared"])
    return {"operation": row.name, "type": row.precision, "chip": entry["target"], "tokens": row.tokens,
            "position": row.position, "kernels": sorted(kernel["kernel"] for kernel in executed), **sums,
            "error": worst, "withinTolerance": passes,
            "emulatorSeconds": sum(kernel["hostSeconds"] for kernel in executed), "measured": measured(row)}


def measured(row):
    """The H200's figures for the same operation at the same size, in whatever type they were taken."""
    found = [{"device": "H200, CUDA, measured", "type": kind, "microseconds": microseconds, "note": note}
             for (name, kind), (microseconds, note) in h200.rows().items()
             if name == row.name and (kind == row.precision or row.precision == "f32")]
    same = [figure for figure in found if figure["type"] == row.precision]
    return (same or found or [None])[0]


# The table


def bytes_text(count):
    for unit in ["B", "KiB", "MiB", "GiB"]:
        if count < 10000 or unit == "GiB":
            return f"{count:.0f} {unit}" if unit == "B" or count >= 100 else f"{count:.1f} {unit}"
        count /= 1024


COLUMNS = [
    ("operation", lambda r: r["operation"]),
    ("type", lambda r: r["type"]),
    ("chip", lambda r: r["chip"]),
    ("launches", lambda r: f"{r['launches']}"),
    ("waves", lambda r: f"{r['waves']:,}"),
    ("matrix", lambda r: f"{r['matrix']:,}"),
    ("vector", lambda r: f"{r['vector']:,}"),
    ("LDS", lambda r: f"{r['lds']:,}"),
    ("vector mem", lambda r: f"{r['vectorMemory']:,}"),
    ("scalar", lambda r: f"{r['scalar']:,}"),
    ("scalar mem", lambda r: f"{r['scalarMemory']:,}"),
    ("branch", lambda r: f"{r['branch']:,}"),
    ("other", lambda r: f"{r['other']:,}"),
    ("loaded", lambda r: bytes_text(r["globalBytesLoaded"])),
    ("stored", lambda r: bytes_text(r["globalBytesStored"])),
    ("LDS moved", lambda r: bytes_text(r["ldsBytesLoaded"] + r["ldsBytesStored"])),
    ("error", lambda r: "0" if r["error"] == 0 else f"{r['error']:.1e}"),
    ("emulator", lambda r: f"{r['emulatorSeconds']:.3f} s"),
    ("H200, CUDA, measured", lambda r: f"{r['measured']['microseconds']:.2f} us {r['measured']['type']}"
     if r["measured"] else "-"),
]
LEGEND = """
Wave instructions by class, each counted once a wave, of all launches of the operation; bytes that lanes asked of device
memory (caches not considered) and of LDS. error: largest difference from the float64 reference, as a part of its largest
number; the gemm rows have small integers as input, so that any wrong rounding would show as more than 0. emulator: what
the launches took on this machine's CPU. No column is a time of gfx942 or gfx90a. The last one is another machine's, of
the same operation (the type it was measured in beside it): tools/benchmarks/cuda_h200.tsv."""


def print_table(results):
    cells = [[title for title, _ in COLUMNS]] + [[text(one) for _, text in COLUMNS] for one in results]
    widths = [max(len(line[i]) for line in cells) for i in range(len(COLUMNS))]
    for line in cells:
        print("  ".join(cell.ljust(width) if i < 3 else cell.rjust(width)
                        for i, (cell, width) in enumerate(zip(line, widths))).rstrip())
    print(LEGEND)


def main(binaries, pattern, as_json, fast):
    rows = [row for row in ROWS if fnmatch.fnmatch(row.title, f"*{pattern}*") and not (fast and row.slow)]
    if not rows:
        sys.exit(f"error: expected --rows to match one of\n  " + "\n  ".join(row.title for row in ROWS))
    results = []
    try:
        for i, row in enumerate(rows):
            if sys.stderr.isatty():
                print(f"\r\033[K[{i}/{len(rows)}] {row.title}", end="", file=sys.stderr, flush=True)
            results += run(row, binaries, CHIPS)
    except RuntimeError as error:
        sys.exit(f"error: {error}")
    finally:
        if sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
    if as_json:
        print(json.dumps(results, indent=1))
    else:
        print_table(results)
    late = [f"{r['operation']} {r['type']}, {r['chip']}" for r in results if not r["withinTolerance"]]
    if late:
        sys.exit("error: past tolerance: " + "; ".join(late))
