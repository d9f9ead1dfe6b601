#!/usr/bin/env python3
"""Writes what Hugging Face's transformers compute with tiny models: the expected numbers of ArchitectureTest.

    python3 -m venv venv && venv/bin/pip install torch transformers
    venv/bin/python test/models/make_fixtures.py [NAME ... | rope]

Run once; the results are in the repository (made with transformers 5.23.0 and torch 2.15.0, on CPU in float32). Each
fixture is a folder here: config.json, as a checkpoint would have it and as transformers read it here too, and
expected.json with

    tensors   [name in the checkpoint, name the numbers come from, shape] of every tensor
    type      how the checkpoint stores them: F32, F16 or BF16
    shards    files the checkpoint has; more than one: with an index
    context   what is compiled, where that isn't the model's own
    columns   how far apart the columns of logits are that stand here, where they would be too many
    runs      ids (and token_types) with what comes out: logits of every position, or hidden, embedding and pooled

`rope` is the file rope.json: frequencies and scales of rotary embeddings, for every kind of scaling (RopeTest).

Weights are not stored: they are runtime/include/nstf/RandomWeights.h of seed 1, rounded to the stored type, which the
test computes again.
"""
import json
import math
import pathlib
import struct
import sys

import torch
import transformers

HERE = pathlib.Path(__file__).resolve().parent
SEED = 1
MASK = (1 << 64) - 1


def mix(x):
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def random_weights(name, shape):
    """RandomWeights.h: every product and sum here is exact or rounded to float32 once, as there."""
    digest = 0xCBF29CE484222325
    for byte in name.encode():
        digest = (digest ^ byte) * 0x100000001B3 & MASK
    key = mix(SEED ^ digest)
    numbers = [(mix((key + (i + 1) * 0x9E3779B97F4A7C15) & MASK) >> 40) / 8388608.0 - 1.0 for i in range(math.prod(shape))]
    scale = 1.0 if len(shape) < 2 else struct.unpack("f", struct.pack("f", math.sqrt(3.0 / shape[-1])))[0]
    return (torch.tensor(numbers, dtype=torch.float32) * torch.tensor(scale, dtype=torch.float32)).reshape(shape)


def ids(count, vocabulary, start=3):
    return [(start + 7 * i + i * i % 11) % vocabulary for i in range(count)]


LLAMA = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "num_hidden_layers": 2, "vocab_size": 54,
         "max_position_embeddings": 64, "rms_norm_eps": 1e-5, "hidden_act": "silu", "tie_word_embeddings": False,
         "bos_token_id": 1, "eos_token_id": 2}
GPT2 = {"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "n_embd": 40, "n_layer": 2, "n_head": 2,
        "n_positions": 32, "layer_norm_epsilon": 1e-5, "bos_token_id": 0, "eos_token_id": 0}
NEOX = {"architectures": ["GPTNeoXForCausalLM"], "model_type": "gpt_neox", "num_hidden_layers": 2, "vocab_size": 54,
        "max_position_embeddings": 64, "layer_norm_eps": 1e-5, "tie_word_embeddings": False, "bos_token_id": 0,
        "eos_token_id": 0}
BERT = {"model_type": "bert", "hidden_size": 40, "num_attention_heads": 2, "num_hidden_layers": 2,
        "intermediate_size": 60, "vocab_size": 54, "max_position_embeddings": 32, "type_vocab_size": 2,
        "layer_norm_eps": 1e-12, "pad_token_id": 0}

# Long beyond 16 positions.
PHI3_LONG = {
    "architectures": ["Phi3ForCausalLM"], "model_type": "phi3", "hidden_size": 64, "num_attention_heads": 2,
    "num_key_value_heads": 2, "intermediate_size": 50, "num_hidden_layers": 1, "vocab_size": 54,
    "max_position_embeddings": 64, "original_max_position_embeddings": 16, "rms_norm_eps": 1e-5, "hidden_act": "silu",
    "sliding_window": 32, "rope_theta": 10000.0, "tie_word_embeddings": False, "bos_token_id": 1, "eos_token_id": 2,
    "pad_token_id": 0, "rope_scaling": {
        "type": "longrope", "short_factor": [1 + 0.05 * i for i in range(16)],
        "long_factor": [1 + 0.25 * i * i for i in range(16)]}}

# `without` is a prefix the checkpoint's names lack, `rename` pairs of texts replaced in them.
FIXTURES = {
    "llama-linear": dict(without="model.", config=LLAMA | {
        "hidden_size": 76, "num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 50,
        "num_hidden_layers": 1, "rope_theta": 10000.0, "rope_scaling": {"type": "linear", "factor": 2.5}}),
    "llama-dynamic": dict(context=24, config=LLAMA | {
        "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 50,
        "max_position_embeddings": 12, "attention_bias": True, "mlp_bias": True, "rope_theta": 1000.0,
        "rope_scaling": {"rope_type": "dynamic", "factor": 2.0}}),
    "llama-llama3": dict(shards=3, config=LLAMA | {
        "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 1, "intermediate_size": 70,
        "hidden_act": "gelu", "rope_parameters": {
            "rope_type": "llama3", "rope_theta": 5000.0, "factor": 8.0, "low_freq_factor": 1.0,
            "high_freq_factor": 4.0, "original_max_position_embeddings": 32}}),
    "llama-yarn": dict(config=LLAMA | {
        "hidden_size": 42, "head_dim": 38, "num_attention_heads": 3, "num_key_value_heads": 3, "intermediate_size": 44,
        "hidden_act": "gelu_pytorch_tanh", "tie_word_embeddings": True, "rope_theta": 100.0,
        "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}}),
    "gpt2": dict(config=GPT2 | {"vocab_size": 54, "activation_function": "gelu_new"}),
    "gpt2-erf": dict(without="transformer.", type="F16", config=GPT2 | {
        "vocab_size": 1, "activation_function": "gelu", "n_inner": 90, "tie_word_embeddings": False,
        "scale_attn_by_inverse_layer_idx": True}),
    "gpt2-words": dict(type="F16", columns=911, config=GPT2 | {
        "vocab_size": 50257, "n_embd": 2, "n_head": 1, "n_layer": 1, "n_inner": 7, "activation_function": "relu"}),
    "gptj": dict(type="BF16", config={
        "architectures": ["GPTJForCausalLM"], "model_type": "gptj", "n_embd": 160, "n_layer": 1, "n_head": 2,
        "n_inner": 90, "n_positions": 32, "rotary_dim": 24, "vocab_size": 54, "activation_function": "gelu_new",
        "layer_norm_epsilon": 1e-5, "tie_word_embeddings": False, "bos_token_id": 0, "eos_token_id": 0}),
    "gpt_neox": dict(rename=[("lm_head.weight", "embed_out.weight")], config=NEOX | {
        "hidden_size": 48, "num_attention_heads": 3, "intermediate_size": 60, "hidden_act": "gelu",
        "rotary_pct": 0.25, "rotary_emb_base": 10000, "use_parallel_residual": True}),
    "gpt_neox-sequential": dict(config=NEOX | {
        "hidden_size": 64, "num_attention_heads": 2, "intermediate_size": 50, "hidden_act": "relu",
        "use_parallel_residual": False, "rope_parameters": {
            "rope_type": "linear", "factor": 2.0, "rope_theta": 1000.0, "partial_rotary_factor": 0.5}}),
    "mistral": dict(type="BF16", config={
        "architectures": ["MistralForCausalLM"], "model_type": "mistral", "hidden_size": 172, "head_dim": 38,
        "num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 30, "num_hidden_layers": 2,
        "vocab_size": 54, "max_position_embeddings": 64, "rms_norm_eps": 1e-5, "hidden_act": "silu",
        "sliding_window": 5, "rope_theta": 10000.0, "tie_word_embeddings": False, "bos_token_id": 1,
        "eos_token_id": 2}),
    "mistral-whole": dict(config={
        "architectures": ["MistralForCausalLM"], "model_type": "mistral", "hidden_size": 40, "head_dim": 96,
        "num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 172, "num_hidden_layers": 1,
        "vocab_size": 54, "max_position_embeddings": 64, "rms_norm_eps": 1e-5, "hidden_act": "silu",
        "sliding_window": None, "rope_theta": 1000000.0, "tie_word_embeddings": False, "bos_token_id": 1,
        "eos_token_id": 2}),
    "qwen2": dict(config={
        "architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_size": 60, "num_attention_heads": 6,
        "num_key_value_heads": 2, "intermediate_size": 50, "num_hidden_layers": 3, "vocab_size": 54,
        "max_position_embeddings": 64, "rms_norm_eps": 1e-6, "hidden_act": "silu", "use_sliding_window": True,
        "sliding_window": 4, "max_window_layers": 1, "rope_theta": 1000000.0, "tie_word_embeddings": True,
        "bos_token_id": 1, "eos_token_id": 2}),
    "qwen3": dict(config={
        "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "hidden_size": 56, "head_dim": 24,
        "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 50, "num_hidden_layers": 2,
        "vocab_size": 54, "max_position_embeddings": 64, "rms_norm_eps": 1e-6, "hidden_act": "silu",
        "use_sliding_window": True, "sliding_window": 6, "layer_types": ["sliding_attention", "full_attention"],
        "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0}, "tie_word_embeddings": True,
        "bos_token_id": 1, "eos_token_id": [2, 3]}),
    "phi3": dict(config={
        "architectures": ["Phi3ForCausalLM"], "model_type": "phi3", "hidden_size": 64, "num_attention_heads": 2,
        "num_key_value_heads": 1, "intermediate_size": 50, "num_hidden_layers": 2, "vocab_size": 54,
        "max_position_embeddings": 64, "original_max_position_embeddings": 64, "rms_norm_eps": 1e-5,
        "hidden_act": "silu", "sliding_window": 7, "partial_rotary_factor": 0.75, "rope_theta": 10000.0,
        "rope_scaling": None, "tie_word_embeddings": False, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}),
    "phi3-long": dict(config=PHI3_LONG),
    "phi3-short": dict(context=16, config=PHI3_LONG),
    # Not in templates/models: phi/architecture.yaml is given to nstfc.
    "phi": dict(config={
        "architectures": ["PhiForCausalLM"], "model_type": "phi", "hidden_size": 64, "num_attention_heads": 2,
        "num_key_value_heads": 1, "intermediate_size": 50, "num_hidden_layers": 2, "vocab_size": 54,
        "max_position_embeddings": 64, "layer_norm_eps": 1e-5, "hidden_act": "gelu_new", "partial_rotary_factor": 0.5,
        "rope_theta": 10000.0, "tie_word_embeddings": False, "bos_token_id": 1, "eos_token_id": 2}),
    "bert": dict(config=BERT | {"architectures": ["BertModel"], "hidden_act": "gelu"}),
    "bert-masked": dict(
        type="F16", rename=[("LayerNorm.weight", "LayerNorm.gamma"), ("LayerNorm.bias", "LayerNorm.beta")],
        config=BERT | {"architectures": ["BertForMaskedLM"], "hidden_act": "relu"}),
}


def rounded(tensor):
    """Nine digits give a float32 back exactly."""
    if tensor.dim() == 1:
        return [float(f"{x:.9g}") for x in tensor.tolist()]
    return [rounded(row) for row in tensor]


def run_encoder(model, base, count):
    words = ids(count, 54)
    types = [0] * (count // 2) + [1] * (count - count // 2)
    result = base(torch.tensor([words]), token_type_ids=torch.tensor([types]))
    hidden = result.last_hidden_state[0]
    run = {"ids": words, "token_types": types, "hidden": rounded(hidden),
           "embedding": rounded(torch.nn.functional.normalize(hidden.mean(0), dim=0)),
           "first": rounded(torch.nn.functional.normalize(hidden[0], dim=0))}
    if result.get("pooler_output") is not None:
        run["pooled"] = rounded(result.pooler_output[0])
    return run


def make(name, config, type="F32", shards=1, context=None, without="", rename=(), columns=1):
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    parsed = transformers.AutoConfig.from_pretrained(folder, attn_implementation="eager")
    model = getattr(transformers, config["architectures"][0])(parsed).eval()
    stored = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}[type]
    tensors, elements = [], 0
    with torch.no_grad():
        for parameter_name, parameter in model.named_parameters():
            parameter.copy_(random_weights(parameter_name, parameter.shape).to(stored).float())
            name_there = parameter_name.removeprefix(without)
            for old, new in rename:
                name_there = name_there.replace(old, new)
            tensors.append([name_there, parameter_name, list(parameter.shape)])
            elements += parameter.numel()
        size = elements * (4 if type == "F32" else 2)
        assert size <= 300 << 10, f"{name}: {size} bytes of weights"
        if config["model_type"] == "bert":
            runs = [run_encoder(model, getattr(model, "bert", model), count) for count in (1, 7, 32)]
        else:
            words = [word * columns % config["vocab_size"] for word in ids(min(24, context or 24), config["vocab_size"])]
            runs = [{"ids": words, "logits": rounded(model(torch.tensor([words])).logits[0][:, ::columns])}]
    expected = {"made_with": f"transformers {transformers.__version__}", "type": type, "shards": shards,
                "tensors": tensors, "runs": runs}
    if context:
        expected["context"] = context
    if columns > 1:
        expected["columns"] = columns
    text = json.dumps(expected, separators=(",", ":")).replace("],[", "],\n[").replace('"runs"', '\n"runs"')
    (folder / "expected.json").write_text(text + "\n")
    print(f"{name}: {size} bytes of weights, {len(text)} of numbers")


ROPES = [
    (64, None, {"rope_type": "linear", "factor": 3.5}),
    (64, 128, {"rope_type": "dynamic", "factor": 2.0}),
    (64, 40, {"rope_type": "dynamic", "factor": 4.0}),
    (131072, None, {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                    "original_max_position_embeddings": 8192}),
    (4096, None, {"rope_type": "llama3", "factor": 32.0, "low_freq_factor": 2.0, "high_freq_factor": 5.0}),
    (65536, None, {"rope_type": "yarn", "factor": 16.0, "original_max_position_embeddings": 4096}),
    (65536, None, {"rope_type": "yarn", "factor": 40.0, "original_max_position_embeddings": 4096, "beta_fast": 24,
                   "beta_slow": 2, "mscale": 0.707, "mscale_all_dim": 1.0, "truncate": False}),
    (65536, None, {"rope_type": "yarn", "factor": None, "original_max_position_embeddings": 8192}),
    (8192, None, {"rope_type": "yarn", "factor": 2.0, "attention_factor": 0.75}),
    (8192, None, {"rope_type": "yarn", "factor": 2.0, "partial_rotary_factor": 0.5}),
    (131072, 4096, {"rope_type": "longrope", "original_max_position_embeddings": 4096}),
    (131072, 131072, {"rope_type": "longrope", "original_max_position_embeddings": 4096}),
    (4096, 512, {"rope_type": "longrope", "original_max_position_embeddings": 4096, "factor": 4.0,
                 "attention_factor": 1.25}),
]


def make_ropes():
    results = []
    for positions, context, parameters in ROPES:
        for head_size, theta in ((8, 10000.0), (38, 500000.0), (128, 10000.0)):
            rotary = int(head_size * parameters.get("partial_rotary_factor", 1))
            if rotary % 2:
                continue
            # The numbers of config.json, and nothing that transformers add to them.
            given = dict(parameters, rope_theta=theta)
            if parameters["rope_type"] == "longrope":
                given["short_factor"] = [1 + 0.01 * i for i in range(head_size // 2)]
                given["long_factor"] = [1 + 0.5 * i for i in range(head_size // 2)]
            config = {"hidden_size": 2 * head_size, "num_attention_heads": 2, "max_position_embeddings": positions,
                      "rope_parameters": given}
            parsed = transformers.LlamaConfig(**json.loads(json.dumps(config)))
            compute = transformers.modeling_rope_utils.ROPE_INIT_FUNCTIONS[parameters["rope_type"]]
            frequencies, scale = compute(parsed, "cpu", seq_len=context)
            results.append({"config": config, "rotary": rotary, "context": context or positions,
                            "inv_freq": rounded(frequencies), "scale": scale})
    text = json.dumps(results, separators=(",", ":")).replace('},{"config"', '},\n{"config"')
    (HERE / "rope.json").write_text(text + "\n")


def main():
    for name in sys.argv[1:] or [*FIXTURES, "rope"]:
        if name == "rope":
            make_ropes()
        else:
            make(name, **FIXTURES[name])


if __name__ == "__main__":
    main()
