#!/usr/bin/env python3
"""Trains tiny-llama: tokenizer.model, config.json and model.safetensors, from nothing but generate_stories.py.

Needs PyTorch and sentencepiece (Debian: python3-torch python3-sentencepiece libopenblas0-pthread); nothing else of NSTF
needs either. One core and about 20 minutes:

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 nice -n 19 /usr/bin/python3 train.py

Stories are drawn anew for every batch, so the model never sees one twice on purpose and the training loss is the loss
on unseen text. A row of a batch is one story between BOS and EOS, and rows of similar length share a batch.
The loss falls to the entropy of the grammar: what remains is the choice of names and alternatives.
"""
import argparse
import io
import json
import math
import pathlib
import random
import struct
import time

import sentencepiece
import torch
import torch.nn.functional as functional

import generate_stories

FOLDER = pathlib.Path(__file__).resolve().parent
CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 96,
    "intermediate_size": 256,
    "num_hidden_layers": 4,
    "num_attention_heads": 6,
    "num_key_value_heads": 3,
    "vocab_size": 448,
    "max_position_embeddings": 320,
    "rms_norm_eps": 1e-05,
    "rope_theta": 10000.0,
    "hidden_act": "silu",
    "tie_word_embeddings": False,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "torch_dtype": "float32",
    "attention_bias": False,
    "mlp_bias": False,
}
BOS, EOS, PADDING = 1, 2, -100


def train_tokenizer():
    """A byte-pair sentencepiece model of the stories' words; text is taken as it is (no Unicode normalisation).

    The apostrophe is so rare in the stories that it gets no piece of its own: it is the unknown piece, and printed so."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(generate_stories.stories(20000, seed=1)), model_writer=model, model_type="bpe",
        vocab_size=CONFIG["vocab_size"], normalization_rule_name="identity", unk_surface="'",
        num_threads=1, minloglevel=2)
    (FOLDER / "tokenizer.model").write_bytes(model.getvalue())
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


class Llama:
    """The architecture as functions of a dictionary of tensors that carry Hugging Face's names."""

    def __init__(self):
        hidden, inner, layers = CONFIG["hidden_size"], CONFIG["intermediate_size"], CONFIG["num_hidden_layers"]
        self.head = hidden // CONFIG["num_attention_heads"]
        key_value = CONFIG["num_key_value_heads"] * self.head
        self.tensors = {}

        def matrix(name, rows, columns, deviation):
            self.tensors[name] = torch.nn.Parameter(torch.randn(rows, columns) * deviation)

        matrix("model.embed_tokens.weight", CONFIG["vocab_size"], hidden, 0.05)
        for layer in range(layers):
            prefix = f"model.layers.{layer}."
            for name, rows, columns in [
                    ("self_attn.q_proj", hidden, hidden), ("self_attn.k_proj", key_value, hidden),
                    ("self_attn.v_proj", key_value, hidden), ("self_attn.o_proj", hidden, hidden),
                    ("mlp.gate_proj", inner, hidden), ("mlp.up_proj", inner, hidden), ("mlp.down_proj", hidden, inner)]:
                # What adds to the residual stream starts smaller, the deeper the model.
                scale = 1 / math.sqrt(2 * layers) if name in ("self_attn.o_proj", "mlp.down_proj") else 1
                matrix(prefix + name + ".weight", rows, columns, scale / math.sqrt(columns))
            for name in ["input_layernorm", "post_attention_layernorm"]:
                self.tensors[prefix + name + ".weight"] = torch.nn.Parameter(torch.ones(hidden))
        self.tensors["model.norm.weight"] = torch.nn.Parameter(torch.ones(hidden))
        matrix("lm_head.weight", CONFIG["vocab_size"], hidden, 0.05)

        frequency = CONFIG["rope_theta"] ** (-torch.arange(0, self.head, 2, dtype=torch.float64) / self.head)
        angle = torch.outer(torch.arange(CONFIG["max_position_embeddings"], dtype=torch.float64), frequency)
        self.cos, self.sin = angle.cos().float(), angle.sin().float()

    def norm(self, x, name):
        scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + CONFIG["rms_norm_eps"])
        return x * scale * self.tensors[name + ".weight"]

    def linear(self, x, name):
        return functional.linear(x, self.tensors[name + ".weight"])

    def rope(self, x):
        """Rotates the pairs (i, i + head/2); x is [batch, heads, tokens, head]."""
        cos, sin = self.cos[:x.shape[2]], self.sin[:x.shape[2]]
        low, high = x.chunk(2, dim=-1)
        return torch.cat([low * cos - high * sin, high * cos + low * sin], dim=-1)

    def attention(self, x, prefix):
        batch, tokens, hidden = x.shape
        heads, shared = CONFIG["num_attention_heads"], CONFIG["num_attention_heads"] // CONFIG["num_key_value_heads"]

        def split(name):
            return self.linear(x, prefix + name).view(batch, tokens, -1, self.head).transpose(1, 2)

        query, key, value = self.rope(split("q_proj")), self.rope(split("k_proj")), split("v_proj")
        key, value = key.repeat_interleave(shared, dim=1), value.repeat_interleave(shared, dim=1)
        future = torch.full((tokens, tokens), -math.inf).triu(1)
        weights = functional.softmax(query @ key.transpose(2, 3) / math.sqrt(self.head) + future, dim=-1)
        return self.linear((weights @ value).transpose(1, 2).reshape(batch, tokens, heads * self.head), prefix + "o_proj")

    def __call__(self, ids):
        x = functional.embedding(ids, self.tensors["model.embed_tokens.weight"])
        for layer in range(CONFIG["num_hidden_layers"]):
            prefix = f"model.layers.{layer}."
            x = x + self.attention(self.norm(x, prefix + "input_layernorm"), prefix + "self_attn.")
            y = self.norm(x, prefix + "post_attention_layernorm")
            gate, up = self.linear(y, prefix + "mlp.gate_proj"), self.linear(y, prefix + "mlp.up_proj")
            x = x + self.linear(functional.silu(gate) * up, prefix + "mlp.down_proj")
        return self.linear(self.norm(x, "model.norm"), "lm_head")


def batches(tokenizer, seed, rows, pool=32):
    """Yields [rows, longest] ids without end, padded with PADDING; `pool` batches are sorted by length together."""
    rng = random.Random(seed)
    while True:
        drawn = [[BOS, *tokenizer.encode(generate_stories.story(rng)), EOS] for _ in range(rows * pool)]
        drawn.sort(key=len)
        groups = [drawn[first:first + rows] for first in range(0, len(drawn), rows)]
        rng.shuffle(groups)
        for group in groups:
            longest = max(map(len, group))
            yield torch.tensor([ids + [PADDING] * (longest - len(ids)) for ids in group])


def loss_of(model, batch):
    """Mean cross-entropy of each next token; padding is read as EOS and not predicted."""
    logits = model(batch[:, :-1].clamp(min=0))
    return functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten(), ignore_index=PADDING)


def write_safetensors(path, tensors):
    """An 8-byte header length, a JSON header padded with spaces to 8 bytes, then float32 data in the header's order."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in tensors.items():
        raw = tensor.detach().numpy().astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def export(model):
    (FOLDER / "config.json").write_text(json.dumps(CONFIG, indent=1) + "\n")
    write_safetensors(FOLDER / "model.safetensors", model.tensors)


def main():
    parser = argparse.ArgumentParser(description="trains tiny-llama")
    parser.add_argument("--steps", type=int, default=2200)
    parser.add_argument("--rows", type=int, default=24, help="stories in a batch")
    parser.add_argument("--rate", type=float, default=3e-3, help="the highest learning rate")
    options = parser.parse_args()

    torch.manual_seed(1)
    tokenizer, model, warmup = train_tokenizer(), Llama(), 50
    decayed = [tensor for tensor in model.tensors.values() if tensor.dim() == 2]
    plain = [tensor for tensor in model.tensors.values() if tensor.dim() == 1]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.05}, {"params": plain, "weight_decay": 0.0}], lr=options.rate,
        betas=(0.9, 0.98))

    def rate(step):
        return (step + 1) / warmup if step < warmup else 0.5 + 0.5 * math.cos(math.pi * step / options.steps)

    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)

    start, recent = time.time(), []
    for step, batch in zip(range(options.steps), batches(tokenizer, seed=2, rows=options.rows)):
        loss = loss_of(model, batch)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.tensors.values(), 1.0)
        optimizer.step()
        scheduler.step()
        recent.append(loss.item())
        if (step + 1) % 50 == 0:
            print(f"step {step + 1}: loss {sum(recent) / len(recent):.4f}, {time.time() - start:.0f} s", flush=True)
            recent = []
        if (step + 1) % 200 == 0:
            export(model)
    export(model)
    with torch.no_grad():
        unseen = batches(tokenizer, seed=3, rows=options.rows)
        print(f"loss on unseen stories: {sum(loss_of(model, next(unseen)).item() for _ in range(10)) / 10:.4f}")


if __name__ == "__main__":
    main()
