#!/usr/bin/env python3
"""Writes tiny random checkpoints for tests, without any library.

    make_checkpoint.py llama FOLDER [--tensor-type F32|F16|BF16] [--shards N] [--without NAME] [--set KEY=JSON ...]
    make_checkpoint.py mlp FOLDER

llama: config.json and safetensors files of a Llama whose sizes are no multiples of anything: hidden 36, 6 heads of size
6 over 3 key-value heads, intermediate 50, 2 layers, vocabulary 54, context 40. `--set` changes config.json after the
tensors were made, so that a test can let the two disagree; `--without` leaves a tensor out.
mlp: the weights of mlp.yaml beside this file, and a copy of that file beside them.

Numbers are uniform in [-a, a] with a = sqrt(3 / last extent), norms 1 ± 0.1, and the same on every machine.
"""
import argparse
import json
import math
import pathlib
import random
import shutil
import struct

LLAMA = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 36, "intermediate_size": 50,
    "num_hidden_layers": 2, "num_attention_heads": 6, "num_key_value_heads": 3, "vocab_size": 54,
    "max_position_embeddings": 40, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "silu",
    "tie_word_embeddings": False, "attention_bias": False, "mlp_bias": False, "bos_token_id": 1, "eos_token_id": 2,
}
MLP = {"fc1.weight": (33, 20), "fc1.bias": (33,), "fc2.weight": (20, 33), "head.weight": (7, 20)}


def llama_shapes(config):
    """Every tensor of the model with its shape, in a fixed order."""
    hidden, inner, vocabulary = config["hidden_size"], config["intermediate_size"], config["vocab_size"]
    size = hidden // config["num_attention_heads"]
    keys = config["num_key_value_heads"] * size
    shapes = {"model.embed_tokens.weight": (vocabulary, hidden), "model.norm.weight": (hidden,),
              "lm_head.weight": (vocabulary, hidden)}
    for layer in range(config["num_hidden_layers"]):
        for name, shape in {
            "input_layernorm": (hidden,), "post_attention_layernorm": (hidden,),
            "self_attn.q_proj": (hidden, hidden), "self_attn.k_proj": (keys, hidden),
            "self_attn.v_proj": (keys, hidden), "self_attn.o_proj": (hidden, hidden),
            "mlp.gate_proj": (inner, hidden), "mlp.up_proj": (inner, hidden), "mlp.down_proj": (hidden, inner),
        }.items():
            shapes[f"model.layers.{layer}.{name}.weight"] = shape
    return shapes


def numbers(name, shape):
    generator = random.Random(name)
    count = math.prod(shape)
    if "norm" in name:
        return [1 + generator.uniform(-0.1, 0.1) for _ in range(count)]
    bound = math.sqrt(3 / shape[-1])
    return [generator.uniform(-bound, bound) for _ in range(count)]


def encode(values, kind):
    if kind == "F32":
        return struct.pack(f"<{len(values)}f", *values)
    if kind == "F16":
        return struct.pack(f"<{len(values)}e", *values)
    floats = struct.pack(f"<{len(values)}f", *values)  # BF16: the upper half of a float32
    return b"".join(floats[i + 2:i + 4] for i in range(0, len(floats), 4))


def write_safetensors(path, shapes, kind):
    header, data = {}, b""
    for name, shape in shapes.items():
        encoded = encode(numbers(name, shape), kind)
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [len(data), len(data) + len(encoded)]}
        data += encoded
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=["llama", "mlp"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tensor-type", choices=["F32", "F16", "BF16"], default="F32")
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("--set", action="append", default=[], metavar="KEY=JSON")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)

    if arguments.model == "mlp":
        write_safetensors(arguments.folder / "mlp.safetensors", MLP, arguments.tensor_type)
        source = pathlib.Path(__file__).resolve().with_name("mlp.yaml")
        shutil.copyfile(source, arguments.folder / "mlp.yaml")
        return

    config = dict(LLAMA)
    shapes = {name: shape for name, shape in llama_shapes(config).items() if name not in arguments.without}
    for change in arguments.set:
        key, _, value = change.partition("=")
        config[key] = json.loads(value)
    (arguments.folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    if arguments.shards == 1:
        write_safetensors(arguments.folder / "model.safetensors", shapes, arguments.tensor_type)
        return
    names, places = list(shapes), {}
    for shard in range(arguments.shards):
        file = f"model-{shard + 1:05}-of-{arguments.shards:05}.safetensors"
        part = {name: shapes[name] for name in names[shard::arguments.shards]}
        write_safetensors(arguments.folder / file, part, arguments.tensor_type)
        places.update({name: file for name in part})
    index = {"metadata": {}, "weight_map": places}
    (arguments.folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=1) + "\n")


if __name__ == "__main__":
    main()
