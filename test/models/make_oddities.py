#!/usr/bin/env python3
"""Writes small checkpoints that are odd in one thing each, and what Hugging Face's transformers compute with them in float64: the
fixtures of OdditiesTest, listed in ODDITIES.md.

    python3 -m venv venv && venv/bin/pip install torch transformers
    venv/bin/python test/models/make_oddities.py [NAME ...]

Run once; the results are in the repository (made with transformers 5.23.0 and torch 2.15.0, on CPU). A fixture is a folder of
`oddities`: the checkpoint's files, and expected.json with

    ids       token ids, and of encoders their types
    logits    of the position in the middle and of the last one; or `hidden`, of all positions
    options   of the import, where there are some: context, rope_factors
    notes     texts that are in the import's notes, one each

transformers read the folder itself, but where it says `clean`: files that they refuse, or take otherwise for a reason that ODDITIES.md
tells. Weights are make_fixtures.py's, rounded to bf16 unless the fixture is about types.
"""
import copy
import json
import pathlib
import shutil
import struct
import sys
import tempfile

import torch

# Norms, rope and softmax are in float32 there, whatever the model's type is.
torch.float32 = torch.float = torch.float64
torch.Tensor.float = torch.Tensor.double

import transformers  # noqa: E402: reads the types above

from make_fixtures import BERT, GPT2, NEOX, random_weights  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent / "oddities"
IDS = [3, 17, 5, 11, 8, 23, 1, 14, 6, 9, 20, 2]
SMALL = {"hidden_size": 16, "intermediate_size": 12, "num_hidden_layers": 1, "num_attention_heads": 4, "num_key_value_heads": 2,
         "vocab_size": 24, "max_position_embeddings": 32, "rms_norm_eps": 1e-5, "hidden_act": "silu", "tie_word_embeddings": False,
         "bos_token_id": 1, "eos_token_id": 2}
LLAMA = SMALL | {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "rope_theta": 500.0}
MISTRAL = SMALL | {"architectures": ["MistralForCausalLM"], "model_type": "mistral", "sliding_window": 5, "rope_theta": 500.0}
QWEN2 = SMALL | {"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "num_hidden_layers": 2, "rope_theta": 500.0}
PHI3 = SMALL | {"architectures": ["Phi3ForCausalLM"], "model_type": "phi3", "num_key_value_heads": 4, "sliding_window": None, "pad_token_id": 0,
                "original_max_position_embeddings": 16, "rope_theta": 500.0, "rope_scaling": {
                    "type": "longrope", "short_factor": [1.0, 1.5], "long_factor": [1.25, 4.0], "attention_factor": 1.25}}
SMALL_GPT2 = GPT2 | {"n_embd": 16, "n_layer": 1, "vocab_size": 24, "activation_function": "gelu_new"}
SMALL_NEOX = NEOX | {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 12, "vocab_size": 24,
                     "hidden_act": "gelu"}
SMALL_BERT = BERT | {"hidden_size": 16, "num_hidden_layers": 1, "intermediate_size": 12, "vocab_size": 24, "hidden_act": "gelu"}

KINDS = {torch.float64: "F64", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64", torch.uint8: "U8", torch.bool: "BOOL"}
FLOAT32 = "F32"  # torch.float32 is float64 here


def encode(tensor, kind):
    if kind == FLOAT32:
        return struct.pack(f"<{tensor.numel()}f", *tensor.flatten().tolist())
    return tensor.contiguous().view(torch.uint8).numpy().tobytes() if tensor.dim() else bytes(tensor.reshape(1).view(torch.uint8).tolist())


class File:
    """A safetensors file. Tensors are of their own types, or of (tensor, "F32")."""

    def __init__(self, tensors, metadata={"format": "pt"}, gap=0, behind=0, reverse=False, spaces=None):
        self.tensors, self.metadata, self.gap, self.behind, self.reverse, self.spaces = tensors, metadata, gap, behind, reverse, spaces

    def write(self, path):
        header, data = ({"__metadata__": self.metadata} if self.metadata else {}), b""
        names = list(self.tensors)
        for name in reversed(names) if self.reverse else names:
            tensor, kind = self.tensors[name] if isinstance(self.tensors[name], tuple) else (self.tensors[name], None)
            kind = kind or KINDS[tensor.dtype]
            content = encode(tensor, kind)
            data += bytes(self.gap)
            header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(content)]}
            data += content
        text = json.dumps(dict(sorted(header.items())), separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8 if self.spaces is None else (self.spaces - len(text)) % 8)
        path.write_bytes(struct.pack("<Q", len(text)) + text + data + bytes(self.behind))


def plain(tensors):
    return {"model.safetensors": File(tensors)}


def typed(tensors):
    """A type after the other, f32 among them."""
    types = [torch.bfloat16, torch.float16, FLOAT32, torch.float64]
    assert all(torch.equal(tensor.to(torch.float16).to(torch.bfloat16), tensor) for tensor in tensors.values())
    return {name: (tensor.to(torch.float64), FLOAT32) if kind == FLOAT32 else tensor.to(kind)
            for (name, tensor), kind in zip(tensors.items(), types * len(tensors))}


def split(tensors, count=2):
    names = list(tensors)
    return [{name: tensors[name] for name in names[i::count]} for i in range(count)]


def index(files, without=()):
    return json.dumps({"metadata": {}, "weight_map": {name: file for file, tensors in files.items() for name in tensors if name not in without}})


def sharded(tensors, without=()):
    first, second = split(tensors)
    files = {"model-00001-of-00002.safetensors": first, "model-00002-of-00002.safetensors": second}
    return {file: File(part) for file, part in files.items()} | {"model.safetensors.index.json": index(files, without)}


def other(tensors):
    """Weights of the same names that are not these."""
    return {name: tensor + 1 for name, tensor in tensors.items()}


ADAPTER = json.dumps({"peft_type": "LORA", "base_model_name_or_path": "base/model", "r": 1, "lora_alpha": 2, "target_modules": ["q_proj"]})


def adapter():
    prefix = "base_model.model.model.layers.0.self_attn.q_proj.lora_"
    return {"adapter_config.json": ADAPTER, "adapter_model.safetensors": File(
        {prefix + "A.weight": torch.ones(1, 16, dtype=torch.bfloat16), prefix + "B.weight": torch.ones(16, 1, dtype=torch.bfloat16)})}


def buffers(tensors):
    """What older versions saved beside the weights, of types that no weight has."""
    return tensors | {"model.rotary_emb.inv_freq": torch.ones(2, dtype=torch.bfloat16),
                      "model.layers.0.self_attn.rotary_emb.inv_freq": (torch.ones(2), FLOAT32),
                      "model.position_ids": torch.arange(32, dtype=torch.int64).reshape(1, 32),
                      "model.mask": torch.ones(1, 1, 4, 4, dtype=torch.bool), "model.version": torch.tensor(3, dtype=torch.uint8)}


def gpt2_buffers(tensors):
    return tensors | {"h.0.attn.bias": torch.ones(1, 1, 32, 32, dtype=torch.uint8).tril(), "h.0.attn.masked_bias": (torch.tensor(-1e4), FLOAT32)}


def neox_buffers(tensors):
    prefix = "gpt_neox.layers.0.attention."
    return tensors | {prefix + "bias": torch.ones(1, 1, 32, 32, dtype=torch.bool).tril(), prefix + "masked_bias": (torch.tensor(-1e9), FLOAT32),
                      prefix + "rotary_emb.inv_freq": torch.ones(1, dtype=torch.float16)}


def renamed(prefix, to):
    return lambda tensors: plain({to + name.removeprefix(prefix): tensor for name, tensor in tensors.items()})


def same_head(tensors):
    return plain(tensors | {"lm_head.weight": tensors["model.embed_tokens.weight"]})


def other_head(tensors):
    return plain(tensors | {"lm_head.weight": random_weights("lm_head.weight", [24, 16]).to(torch.bfloat16)})


def unread_biases(tensors):
    return plain(tensors | {f"model.layers.0.self_attn.{which}_proj.bias": torch.ones(size, dtype=torch.bfloat16)
                            for which, size in (("q", 16), ("k", 8), ("v", 8), ("o", 16))})


def without(config, *keys):
    return {key: value for key, value in config.items() if key not in keys}


# config, and: `files` of the weights; `text` of config.json from its keys; `clean`: what transformers read is this config, or where it is
# True the same one, in a plain folder; `options`, `notes`.
ODDITIES = {
    # Rope.
    "rope-scaling-null": dict(config=LLAMA | {"rope_scaling": None}),
    "rope-scaling-empty": dict(config=LLAMA | {"rope_scaling": {}, "rope_parameters": {
        "rope_type": "linear", "factor": 2.0, "rope_theta": 20.0}}),
    "rope-scaling-default": dict(config=LLAMA | {"rope_scaling": {"rope_type": "default"}}),
    "rope-scaling-both-names": dict(config=LLAMA | {"rope_scaling": {"type": "linear", "rope_type": "linear", "factor": 4}}),
    "rope-parameters-null": dict(config=LLAMA | {"rope_parameters": None}),
    "rope-theta-inside": dict(config=LLAMA | {"rope_theta": 10000.0, "rope_parameters": {"rope_type": "default", "rope_theta": 500.0}}),
    "rope-theta-absent": dict(config=without(LLAMA, "rope_theta")),
    "rope-both-keys": dict(config=LLAMA | {key: {"rope_type": "linear", "factor": 2.0, "rope_theta": 20.0}
                                           for key in ("rope_scaling", "rope_parameters")}),
    "neox-rope-theta": dict(config=SMALL_NEOX | {"rotary_pct": 0.5, "rope_theta": 500.0}),
    "longrope-long": dict(config=PHI3 | {"original_max_position_embeddings": 8}, notes=[
        "config.json': the context of 32 is longer than longrope's 8 positions"]),
    "longrope-wanted-short": dict(config=PHI3, options={"rope_factors": "short"}),
    "longrope-wanted-long": dict(config=PHI3, options={"rope_factors": "long", "context": 16},
                                 clean=PHI3 | {"original_max_position_embeddings": 8}),
    # Heads.
    "head-dim-null": dict(config=LLAMA | {"head_dim": None}),
    "head-dim-wide": dict(config=LLAMA | {"head_dim": 6}),
    "kv-heads-null": dict(config=LLAMA | {"num_key_value_heads": None}),
    "kv-heads-absent": dict(config=without(LLAMA, "num_key_value_heads")),
    "mistral-defaults": dict(config=without(MISTRAL, "num_key_value_heads", "sliding_window", "rms_norm_eps", "rope_theta") | {
        "num_attention_heads": 8}),
    "mistral-head-dim-null": dict(config=MISTRAL | {"head_dim": None}),
    # Heads of the vocabulary.
    "tied-same-head": dict(config=LLAMA | {"tie_word_embeddings": True}, files=same_head),
    "tied-other-head": dict(config=LLAMA | {"tie_word_embeddings": True}, files=other_head, notes=[
        "config.json': tie_word_embeddings is true but 'lm_head.weight' and 'model.embed_tokens.weight' differ"]),
    # Windows.
    "qwen2-window-off": dict(config=QWEN2 | {"use_sliding_window": False, "sliding_window": 4, "max_window_layers": 0}),
    "qwen2-layer-types-null": dict(config=QWEN2 | {"use_sliding_window": True, "sliding_window": 4, "max_window_layers": 1,
                                                   "layer_types": None}),
    # Keys of config.json.
    "config-minimal": dict(config=without(LLAMA, "rope_theta", "rms_norm_eps", "hidden_act", "max_position_embeddings", "tie_word_embeddings",
                                          "bos_token_id", "eos_token_id", "num_key_value_heads", "model_type"), clean=LLAMA | {
                                              "rope_theta": 10000.0, "rms_norm_eps": 1e-6, "num_key_value_heads": 4}),
    "config-unknown-keys": dict(config=LLAMA | {
        "_name_or_path": "a/b", "auto_map": {"AutoConfig": "configuration.Config"}, "pretraining_tp": 1, "x": [[1, {"y": None}], "z"],
        "attention_dropout": 0.0, "initializer_range": 0.02, "use_cache": True, "transformers_version": "4.31.0.dev0"}),
    "config-byte-order-mark": dict(config=LLAMA, text=lambda config: "\ufeff" + json.dumps(config), clean=True),
    "config-whole-numbers": dict(config=LLAMA | {"rope_theta": 500, "rms_norm_eps": 1, "eos_token_id": [2, 3]},
                                 clean=LLAMA | {"rms_norm_eps": 1.0}),
    "config-padding": dict(config=LLAMA | {"pad_token_id": -1, "bos_token_id": None, "eos_token_id": None}),
    "config-torch-type": dict(config=LLAMA | {"torch_dtype": "torch.bfloat16"}, clean=LLAMA),
    # Files of weights.
    "storage-f64": dict(config=LLAMA, files=lambda tensors: plain({name: tensor.to(torch.float64) for name, tensor in tensors.items()})),
    "storage-mixed-types": dict(config=LLAMA, files=lambda tensors: plain(typed(tensors)), clean=True),
    "storage-odd-header": dict(config=LLAMA, files=lambda tensors: {
        "model.safetensors": File(typed(tensors), metadata=None, reverse=True, spaces=3)}, clean=True),
    "storage-holes": dict(config=LLAMA, files=lambda tensors: {"model.safetensors": File(tensors, gap=3, behind=5)}, clean=True),
    "storage-buffers": dict(config=LLAMA, files=lambda tensors: plain(buffers(tensors))),
    "storage-unread-biases": dict(config=LLAMA, files=unread_biases),
    "gpt2-buffers": dict(config=SMALL_GPT2 | {"n_inner": None}, files=lambda tensors: plain(gpt2_buffers(
        {name.removeprefix("transformer."): tensor for name, tensor in tensors.items()}))),
    "neox-buffers": dict(config=SMALL_NEOX | {"rotary_pct": 0.25}, files=lambda tensors: plain(neox_buffers(tensors))),
    "bert-with-prefix": dict(config=SMALL_BERT | {"architectures": ["BertModel"]}, files=renamed("", "bert.")),
    "index-lacks-a-tensor": dict(config=LLAMA, files=lambda tensors: sharded(tensors, without=["model.norm.weight"])),
    # Files beside those that are read.
    "stale-single-file": dict(config=LLAMA, files=lambda tensors: sharded(tensors) | plain(other(tensors)), clean=True, notes=[
        "model.safetensors.index.json' is read; 'model.safetensors' beside it is not"]),
    "stale-shards": dict(config=LLAMA, files=lambda tensors: plain(tensors) | {
        f"model-0000{i + 1}-of-00002.safetensors": File(part) for i, part in enumerate(split(other(tensors)))}, notes=[
            "model.safetensors' is read; 'model-00001-of-00002.safetensors' and 'model-00002-of-00002.safetensors' beside it are not"]),
    "adapter-beside": dict(config=LLAMA, files=lambda tensors: plain(tensors) | adapter(), notes=["adapter_config.json': adapters are not taken"]),
    "adapter-beside-shards": dict(config=LLAMA, files=lambda tensors: {
        f"part-{i}.safetensors": File(part) for i, part in enumerate(split(tensors))} | adapter(), clean=True, notes=[
            "adapter_config.json': adapters are not taken"]),
}


def write(folder, config, files, text=json.dumps):
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(text(config) + "\n")
    for name, file in files.items():
        file.write(folder / name) if isinstance(file, File) else (folder / name).write_text(file + "\n")


def make_weights(config):
    kind = getattr(transformers, config["architectures"][0])
    model = kind(transformers.AutoConfig.for_model(**copy.deepcopy(config)))  # it writes into what it is given
    return {name: random_weights(name, parameter.shape).to(torch.bfloat16) for name, parameter in model.named_parameters()}


def numbers(tensor):
    """Twelve digits."""
    return [float(f"{x:.12g}") for x in tensor.tolist()] if tensor.dim() == 1 else [numbers(row) for row in tensor]


def run(folder, config):
    kind = getattr(transformers, config["architectures"][0])
    model = kind.from_pretrained(folder, dtype=torch.float64, attn_implementation="eager").eval()
    with torch.no_grad():
        if config["model_type"] == "bert":
            types = [0] * 5 + [1] * (len(IDS) - 5)
            hidden = model(torch.tensor([IDS]), token_type_ids=torch.tensor([types])).last_hidden_state[0]
            return {"ids": IDS, "types": types, "hidden": numbers(hidden)}
        logits = model(torch.tensor([IDS])).logits[0]
    assert logits.dtype == torch.float64
    return {"ids": IDS, "logits": numbers(logits[[len(IDS) // 2, -1]])}


def make(name, config, files=plain, text=json.dumps, clean=None, options=None, notes=()):
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    read = config if clean in (None, True) else clean
    tensors = make_weights(read)
    write(folder, config, files(tensors), text)
    with tempfile.TemporaryDirectory() as made:
        if clean:
            write(pathlib.Path(made) / "model", read, plain(tensors))
        expected = run(pathlib.Path(made) / "model" if clean else folder, read)
    expected["made_with"] = f"transformers {transformers.__version__}"
    if options:
        expected["options"] = options
    expected["notes"] = list(notes)
    (folder / "expected.json").write_text(json.dumps(expected, separators=(",", ":")).replace("],[", "],\n[") + "\n")
    size = sum(file.stat().st_size for file in folder.iterdir())
    assert size <= 20 << 10, f"{name}: {size} bytes"
    print(f"{name}: {size} bytes")


def main():
    for name in sys.argv[1:] or ODDITIES:
        make(name, **ODDITIES[name])


if __name__ == "__main__":
    main()
