#!/usr/bin/env python3
"""Logits of a small Llama with random weights, in float64, by an implementation of its own: plain Python, written from
the formulas of the architecture, not from NSTF's code.

    llama_expected.py > llama_expected.json

Weights are those of --weights=random:SEED (runtime/include/nstf/RandomWeights.h documents the generator). What the real
checkpoints beside this project leave untested is in here: biases, an untied head, a head size that is not hidden / heads,
two key-value heads for six heads, another rope theta and eps.
"""
import json
import math
import struct

SEED = 11
CONFIG = {
    "architectures": ["LlamaForCausalLM"], "hidden_size": 20, "intermediate_size": 28, "num_hidden_layers": 2,
    "num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 4, "vocab_size": 31, "max_position_embeddings": 16,
    "rms_norm_eps": 1e-3, "rope_theta": 500.0, "hidden_act": "silu", "tie_word_embeddings": False,
    "attention_bias": True, "mlp_bias": True, "bos_token_id": 1, "eos_token_id": [2, 5],
}
IDS = [1, 30, 7, 7, 12, 0, 19, 4, 25]
MASK = (1 << 64) - 1


def mix(x):
    x = ((x ^ (x >> 30)) * 0xbf58476d1ce4e5b9) & MASK
    x = ((x ^ (x >> 27)) * 0x94d049bb133111eb) & MASK
    return x ^ (x >> 31)


def float32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def weight(name, *shape):
    """A vector, or a list of rows."""
    hashed = 0xcbf29ce484222325
    for byte in name.encode():
        hashed = ((hashed ^ byte) * 0x100000001b3) & MASK
    key = mix(SEED ^ hashed)
    scale = 1.0 if len(shape) == 1 else float32(math.sqrt(3 / shape[-1]))
    flat = [float32(((mix((key + (i + 1) * 0x9e3779b97f4a7c15) & MASK) >> 40) / 2**23 - 1) * scale)
            for i in range(math.prod(shape))]
    return flat if len(shape) == 1 else [flat[i:i + shape[1]] for i in range(0, len(flat), shape[1])]


def linear(x, name, outputs, bias=True):
    w = weight(name + ".weight", outputs, len(x))
    b = weight(name + ".bias", outputs) if bias else [0.0] * outputs
    return [math.fsum(a * c for a, c in zip(row, x)) + d for row, d in zip(w, b)]


def norm(x, name):
    w = weight(name + ".weight", len(x))
    root = math.sqrt(math.fsum(a * a for a in x) / len(x) + CONFIG["rms_norm_eps"])
    return [a / root * c for a, c in zip(x, w)]


def rotate(x, position, size):
    """Turns the pairs (i, i + size/2) of every head."""
    result, half = list(x), size // 2
    for head in range(0, len(x), size):
        for i in range(half):
            angle = position / CONFIG["rope_theta"] ** (2 * i / size)
            a, b = x[head + i], x[head + half + i]
            result[head + i] = a * math.cos(angle) - b * math.sin(angle)
            result[head + half + i] = a * math.sin(angle) + b * math.cos(angle)
    return result


def attend(q, keys, values, size):
    heads, shared = CONFIG["num_attention_heads"], CONFIG["num_attention_heads"] // CONFIG["num_key_value_heads"]
    result = []
    for head in range(heads):
        own = q[head * size:(head + 1) * size]
        at = head // shared * size
        scores = [math.fsum(a * b for a, b in zip(own, k[at:at + size])) / math.sqrt(size) for k in keys]
        weights = [math.exp(s - max(scores)) for s in scores]
        total = math.fsum(weights)
        result += [math.fsum(w * v[at + i] for w, v in zip(weights, values)) / total for i in range(size)]
    return result


def main():
    hidden, size, inner = CONFIG["hidden_size"], CONFIG["head_dim"], CONFIG["intermediate_size"]
    wide, narrow = CONFIG["num_attention_heads"] * size, CONFIG["num_key_value_heads"] * size
    table = weight("model.embed_tokens.weight", CONFIG["vocab_size"], hidden)
    caches = [([], []) for _ in range(CONFIG["num_hidden_layers"])]
    logits = []
    for position, token in enumerate(IDS):
        x = table[token]
        for layer, (keys, values) in enumerate(caches):
            at = f"model.layers.{layer}."
            h = norm(x, at + "input_layernorm")
            keys.append(rotate(linear(h, at + "self_attn.k_proj", narrow), position, size))
            values.append(linear(h, at + "self_attn.v_proj", narrow))
            q = rotate(linear(h, at + "self_attn.q_proj", wide), position, size)
            x = [a + b for a, b in zip(x, linear(attend(q, keys, values, size), at + "self_attn.o_proj", hidden))]
            h = norm(x, at + "post_attention_layernorm")
            gate, up = linear(h, at + "mlp.gate_proj", inner), linear(h, at + "mlp.up_proj", inner)
            middle = [g / (1 + math.exp(-g)) * u for g, u in zip(gate, up)]
            x = [a + b for a, b in zip(x, linear(middle, at + "mlp.down_proj", hidden))]
        logits.append(linear(norm(x, "model.norm"), "lm_head", CONFIG["vocab_size"], bias=False))
    print(json.dumps({"seed": SEED, "config": CONFIG, "ids": IDS, "logits": logits}, indent=1))


if __name__ == "__main__":
    main()
