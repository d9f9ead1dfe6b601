"""Models that are judged otherwise: an encoder by its embeddings, a large layer by time and memory, a block by bytes."""

import json
import os
import pathlib
import struct
import subprocess
import sys
import time

from benchmarks import launches

LLAMA_3_8B = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
              "num_hidden_layers": 1, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 512,
              "max_position_embeddings": 1024, "rms_norm_eps": 1e-5, "rope_theta": 500000.0, "hidden_act": "silu",
              "tie_word_embeddings": False, "bos_token_id": 1, "eos_token_id": 2, "torch_dtype": "float16"}


def write_ids(path, rows):
    header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}".ljust(117).encode() + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
                     + b"".join(struct.pack(f"<{len(row)}i", *row) for row in rows))


def encoder(bench):
    """MiniLM, calibrated on this project's documents, judged on the twenty sentences."""
    found = subprocess.run([sys.executable, launches.ROOT / "test" / "models" / "fetch_minilm.py"], capture_output=True, text=True)
    if found.returncode:
        raise launches.Failed(found.stdout.strip() or "fetch_minilm.py failed")
    model = pathlib.Path(found.stdout.strip())
    lines = [line.strip() for name in ("README.md", "templates/README.md", "docs/templates.md",
                                                "compiler/compress/README.md", "docs/rationale/compression.md")
             for line in (launches.ROOT / name).read_text().splitlines()]
    text = bench.folder / "readme.txt"
    text.write_text("\n".join([line for line in lines if len(line) > 60][:200]) + "\n")
    expected = bench.models_folder / "minilm" / "expected.json"
    sentences = [sentence["text"] for sentence in json.loads(expected.read_text())["sentences"]]
    judge = bench.folder / "sentences.txt"
    judge.write_text("\n".join(" ".join(sentence.split()) for sentence in sentences) + "\n")
    calibration = bench.calibrate(model, "--text", text, "--lines")
    for name, least, words in (("int8", 0.9990, ["--format=int8"]), ("W8A8 int8", 0.995, ["--format=int8", "--activations=i8"]),
                               ("int4_g32", 0.976, ["--format=int4_g32"]), ("int4_g128", 0.966, ["--format=int4_g128"])):
        report = bench.compress(model, f"minilm {name}", *words, f"--calibration={calibration}", "--judge", judge, "--lines")[1]
        cosine = report["judged"]["cosine"]
        bench.check(f"minilm, {name}: cosine {cosine:.4f} in the mean, at least {least}; least {report['judged']['least_cosine']:.4f}",
                    cosine >= least)


def layer(bench):
    """A layer of Llama-3-8B's sizes, of random weights and 512 tokens: time and peak memory."""
    model = bench.folder / "layer"
    model.mkdir()
    (model / "config.json").write_text(json.dumps(LLAMA_3_8B))
    write_ids(model / "ids.npy", [[1] + [3 + (7919 * i + i * i // 3) % 509 for i in range(1, 512)]])
    calibration = bench.folder / "layer.calib"
    words = ["--weights=random:1", "--quiet"]
    for name, command in (("calibrate", ["--ids", model / "ids.npy", "-o", calibration]),
                          ("compress", ["--format=int4_g128", f"--calibration={calibration}", "-o", bench.folder / "layer4"])):
        begin = time.perf_counter()
        process = subprocess.Popen([bench.build / "bin" / "nstfc", name, model, *words, *command], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        if status:
            raise launches.Failed(f"nstfc {name} of the layer ended with {status}")
        gibibytes = used.ru_maxrss / 2**20
        bench.check(f"nstfc {name}, a layer of Llama-3-8B's sizes: {time.perf_counter() - begin:.0f} s, "
                    f"{used.ru_utime + used.ru_stime:.0f} s of the CPU, {gibibytes:.2f} GiB, at most 3", gibibytes <= 3)


def block(bench, chips):
    """examples/02-llama-block, one row at position 511: the bytes that its launches ask for, beside those in f16."""
    graph = launches.ROOT / "examples" / "02-llama-block" / "block.yaml"

    def count(*words):
        report = bench.folder / "block.json"
        bench.run("nstfc", graph, "--weights=random:1", "--precision=f16", "--max-tokens=1", *words, *[f"--target={chip}" for chip in chips],
                  "-o", bench.folder / "block.nstf", "--verify", "--verify-steps=1@511", f"--verify-report={report}", "--quiet")
        return {entry["target"]: sum(kernel["globalBytesLoaded"] for kernel in entry["executed"])
                for entry in json.loads(report.read_text())}

    whole = count()
    for name, most in (("int8", 0.56), ("int4_g128", 0.33)):
        coded = count(f"--quantize={name}")
        for chip in coded:
            share = coded[chip] / whole[chip]
            bench.check(f"a block of Llama-2-7B, one row, {chip}: {name} asks for {share:.3f} of the bytes that f16 does "
                        f"({coded[chip] / 1e6:.0f} of {whole[chip] / 1e6:.0f} MB), at most {most}", share <= most)
