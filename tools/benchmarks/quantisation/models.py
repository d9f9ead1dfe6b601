"""Models beside which ours are judged: run with NumPy and PyPI's gguf by report.py.

    models.py gguf TYPE MODEL FOLDER   every linear of a Llama with a tied head through a type of gguf and back, as f32; prints its
                                       bits a weight. Rows are padded with zeros to whole blocks
    models.py loud MODEL FOLDER        rows of each up times 2^16 and columns of each down divided by it: the same function
    models.py plant MODEL FOLDER       three entries of each norm times 64 and the matching columns divided by 64: the same function
"""
import json
import pathlib
import shutil
import struct
import sys

import numpy

READERS = {"input_layernorm": ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"],
           "post_attention_layernorm": ["mlp.gate_proj", "mlp.up_proj"]}


def read(folder):
    content = (folder / "model.safetensors").read_bytes()
    start = 8 + struct.unpack("<Q", content[:8])[0]
    tensors = {}
    for name, entry in json.loads(content[8:start]).items():
        if name != "__metadata__":
            assert entry["dtype"] == "F32", f"expected f32 but got {entry['dtype']}"
            begin, end = entry["data_offsets"]
            tensors[name] = numpy.frombuffer(content[start + begin:start + end], "<f4").reshape(entry["shape"]).copy()
    return tensors


def write(source, folder, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        content = tensor.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": tensor.shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
    config = json.loads((source / "config.json").read_text())
    config["tie_word_embeddings"] = False
    (folder / "config.json").write_text(json.dumps(config))
    for name in ("tok512.bin", "tokenizer.model"):
        if (source / name).exists():
            shutil.copy(source / name, folder)


def with_own_head(tensors):
    tensors.setdefault("lm_head.weight", tensors["model.embed_tokens.weight"].copy())
    return tensors


def through_gguf(kind, tensors):
    import gguf
    from gguf import quants
    kind, size, count = gguf.GGMLQuantizationType[kind], 0, 0
    for name, tensor in tensors.items():
        if name.endswith("_proj.weight") or name == "lm_head.weight":
            padded = numpy.pad(tensor, ((0, 0), (0, -tensor.shape[1] % 32)))
            packed = quants.quantize(padded, kind)
            tensors[name] = quants.dequantize(packed, kind)[:, :tensor.shape[1]]
            size += packed.nbytes
            count += tensor.size
    print(json.dumps(8 * size / count))
    return tensors


def plant(tensors):
    norms = [name for name in tensors if name.endswith("norm.weight")]
    for number, name in enumerate(norms):
        columns = [(7 * number + step) % tensors[name].size for step in (3, 20, 41)]
        tensors[name][columns] *= 64
        layer, _, part = name.removesuffix(".weight").rpartition(".")
        readers = [f"{layer}.{reader}.weight" for reader in READERS[part]] if part in READERS else ["lm_head.weight"]
        for reader in readers:
            tensors[reader][:, columns] /= 64
    print(json.dumps(len(norms)))
    return tensors


def loud(tensors):
    for name in tensors:
        if name.endswith("up_proj.weight"):
            tensors[name] *= 2.0**16
        elif name.endswith("down_proj.weight"):
            tensors[name] /= 2.0**16
    print("{}")
    return tensors


if __name__ == "__main__":
    command, *rest = sys.argv[1:]
    source, folder = map(pathlib.Path, rest[-2:])
    tensors = with_own_head(read(source))
    makers = {"plant": plant, "loud": loud}
    write(source, folder, makers[command](tensors) if command in makers else through_gguf(rest[0], tensors))
