#!/usr/bin/env python3
"""Computes expected.json and expected_prompt.json: what greedy decoding of this checkpoint must print.

An implementation of Llama of its own, in numpy and float64, token by token as the papers' formulas stand: it shares no
code with train.py (PyTorch, float32, whole sequences) nor with NSTF. It refuses to write a file whose smallest margin
between the best and the second logit is below MARGIN, because a float32 device could then rightly print another token.

Needs numpy and sentencepiece (Debian: python3-numpy python3-sentencepiece). Fields of a file:
    prompt, prompt_ids        the text given and its ids, BOS first
    greedy_ids, text          all ids, the prompt's included and EOS last, and what they spell
    min_top1_top2_margin      the smallest distance of the two best logits at a generated position
    max_abs_f32_f64_logit_diff    the same computation in float32 against float64
    logits_first_positions, logits_last_position    float64 logits of positions 0 and 1, and those that choose EOS,
                              rounded to 1e-6
"""
import json
import math
import pathlib
import struct

import numpy
import sentencepiece

FOLDER = pathlib.Path(__file__).resolve().parent
MARGIN = 0.01
SHORTEST = 64  # generated tokens
RUNS = [
    # file, prompt
    ("expected.json", ""),
    ("expected_prompt.json", "Once upon a time, there was a small bear named Bruno."),
]


def read_safetensors(path, kind):
    raw = path.read_bytes()
    length = struct.unpack_from("<Q", raw)[0]
    header, tensors = json.loads(raw[8:8 + length]), {}
    for name, entry in header.items():
        if name != "__metadata__":
            assert entry["dtype"] == "F32", name
            begin, end = entry["data_offsets"]
            values = numpy.frombuffer(raw[8 + length + begin:8 + length + end], dtype="<f4")
            tensors[name] = values.reshape(entry["shape"]).astype(kind)
    return tensors


class Decoder:
    """Holds keys and values of the tokens seen; step(id) returns the logits of the next one."""

    def __init__(self, config, tensors, kind):
        self.config, self.tensors, self.kind = config, tensors, kind
        self.keys = [[] for _ in range(config["num_hidden_layers"])]
        self.values = [[] for _ in range(config["num_hidden_layers"])]

    def norm(self, x, name):
        return self.tensors[name] * x / numpy.sqrt(numpy.mean(x * x) + self.kind(self.config["rms_norm_eps"]))

    def rotate(self, head, position):
        """Element i is the real and element i + half the imaginary part of a number turned by position / theta^(i/half)."""
        half = len(head) // 2
        turned = numpy.empty_like(head)
        for i in range(half):
            angle = position * self.config["rope_theta"] ** (-i / half)
            cosine, sine = self.kind(math.cos(angle)), self.kind(math.sin(angle))
            turned[i] = head[i] * cosine - head[i + half] * sine
            turned[i + half] = head[i] * sine + head[i + half] * cosine
        return turned

    def attend(self, x, layer):
        prefix, heads = f"model.layers.{layer}.self_attn.", self.config["num_attention_heads"]
        groups, position = self.config["num_key_value_heads"], len(self.keys[layer])
        query = (self.tensors[prefix + "q_proj.weight"] @ x).reshape(heads, -1)
        key = (self.tensors[prefix + "k_proj.weight"] @ x).reshape(groups, -1)
        self.keys[layer].append([self.rotate(head, position) for head in key])
        self.values[layer].append((self.tensors[prefix + "v_proj.weight"] @ x).reshape(groups, -1))
        mixed = []
        for head in range(heads):
            group = head * groups // heads
            turned = self.rotate(query[head], position) / self.kind(math.sqrt(len(query[head])))
            scores = numpy.array([turned @ keys[group] for keys in self.keys[layer]], dtype=self.kind)
            weights = numpy.exp(scores - scores.max())
            weights /= weights.sum()
            mixed.append(sum(weight * values[group] for weight, values in zip(weights, self.values[layer])))
        return self.tensors[prefix + "o_proj.weight"] @ numpy.concatenate(mixed)

    def step(self, token):
        x = self.tensors["model.embed_tokens.weight"][token]
        for layer in range(self.config["num_hidden_layers"]):
            prefix = f"model.layers.{layer}."
            x = x + self.attend(self.norm(x, prefix + "input_layernorm.weight"), layer)
            y = self.norm(x, prefix + "post_attention_layernorm.weight")
            gate, up = self.tensors[prefix + "mlp.gate_proj.weight"] @ y, self.tensors[prefix + "mlp.up_proj.weight"] @ y
            x = x + self.tensors[prefix + "mlp.down_proj.weight"] @ (gate / (1 + numpy.exp(-gate)) * up)
        return self.tensors["lm_head.weight"] @ self.norm(x, "model.norm.weight")


def generate(config, tokenizer, prompt):
    """Greedy ids up to the story's end, which is EOS."""
    path = FOLDER / "model.safetensors"
    wide = Decoder(config, read_safetensors(path, numpy.float64), numpy.float64)
    narrow = Decoder(config, read_safetensors(path, numpy.float32), numpy.float32)
    prompt_ids = [config["bos_token_id"], *tokenizer.encode(prompt)]
    ids, logits, margins, differences = list(prompt_ids), [], [], []
    while ids[-1] != config["eos_token_id"]:
        token = ids[len(logits)]
        logits.append(wide.step(token))
        differences.append(numpy.abs(narrow.step(token) - logits[-1]).max())
        if len(logits) == len(ids):
            second, best = numpy.sort(logits[-1])[-2:]
            margins.append(best - second)
            ids.append(int(numpy.argmax(logits[-1])))
    assert len(logits) <= config["max_position_embeddings"], "the story is longer than the context"
    assert min(margins) > MARGIN, f"the smallest margin is {min(margins)}"
    assert len(ids) - len(prompt_ids) >= SHORTEST, f"the story has {len(ids)} tokens only"
    return {
        "prompt": prompt, "prompt_ids": prompt_ids, "greedy_ids": ids, "text": tokenizer.decode(ids[1:-1]),
        "min_top1_top2_margin": float(min(margins)), "max_abs_f32_f64_logit_diff": float(max(differences)),
        "logits_first_positions": [[round(float(value), 6) for value in row] for row in logits[:2]],
        "logits_last_position": [round(float(value), 6) for value in logits[-1]],
    }


def main():
    config = json.loads((FOLDER / "config.json").read_text())
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(FOLDER / "tokenizer.model"))
    for name, prompt in RUNS:
        result = generate(config, tokenizer, prompt)
        lines = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in result.items())
        (FOLDER / name).write_text("{\n" + lines + "\n}\n")
        print(f"{name}: {len(result['greedy_ids'])} ids, smallest margin {result['min_top1_top2_margin']:.4f}, "
              f"float32 off by {result['max_abs_f32_f64_logit_diff']:.1e}\n{result['text']}")


if __name__ == "__main__":
    main()
