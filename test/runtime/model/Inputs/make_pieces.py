#!/usr/bin/env python3
"""Makes small SentencePiece models with files beside them, and what transformers' slow tokenizer does with them.

    make_pieces.py [FOLDER]    (default: pieces beside this file)

A folder for each combination of files; texts.json has the fragments that texts are glued of, in a way that the test
repeats; expected.json of a folder has a hash of the ids of each text, and ids and decoded text of the first ones.
Needs transformers 4 and sentencepiece (pip).
"""
import io
import json
import logging
import pathlib
import sys

import sentencepiece
from transformers import LlamaTokenizer

logging.disable(logging.WARNING)

CORPUS = """the cat sat on the mat and the dog sat by the door
once upon a time there was a little girl who had a red ball
user asked and the assistant answered: hello, what is the answer?
the quick brown fox jumps over the lazy dog, and the cat looks on
system prompt: you are a helpful assistant
she said "hello world" and he said "good bye"
numbers 12 345 6789 and signs + - * / = < > | [ ] ( )
été à la plage, größer und schöner, naïve café
привет мир, как дела
日本語 の 文章
""".split("\n")

LLAMA = dict(model_type="bpe", byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False,
             character_coverage=0.98, vocab_size=420)
MODELS = {
    "llama": LLAMA,
    "bare": LLAMA | dict(add_dummy_prefix=False, control_symbols=["[INST]", "[/INST]", "[control_8]"],
                         user_defined_symbols=["\n"], vocab_size=400),
    "unigram": dict(model_type="unigram", normalization_rule_name="identity", vocab_size=150, hard_vocab_limit=False,
                    character_coverage=0.98, pad_id=3),
}


def added(content, **flags):
    return dict(content=content, lstrip=False, rstrip=False, normalized=False, single_word=False, special=True) | flags


# Each of a model and the files beside it. {N} is the model's number of pieces.
KINDS = {
    # As of 2023: markers by name, roles as texts and objects.
    "vicuna": ("llama", {
        "added_tokens.json": {"<|im_end|>": "{N+1}", "<|im_start|>": "{N}", "<pad>": "{N+2}", "USER:": "{N+5}"},
        "special_tokens_map.json": {"bos_token": added("<s>", lstrip=True), "eos_token": "</s>", "unk_token": "<unk>",
                                    "pad_token": "<pad>", "additional_special_tokens": ["<|im_end|>"]},
        "tokenizer_config.json": {"tokenizer_class": "LlamaTokenizer", "bos_token": "<unk>", "model_max_length": 2048,
                                  "additional_special_tokens": ["<|new|>"]},
    }),
    # As of 2024: all added tokens with their flags; the older file beside them doesn't count.
    "phi3": ("llama", {
        "added_tokens.json": {"<|user|>": "{N}", "<|assistant|>": "{N+1}", "<|old|>": "{N+9}"},
        "special_tokens_map.json": {"eos_token": "<|old|>"},
        "tokenizer_config.json": {
            "tokenizer_class": "LlamaTokenizer", "legacy": False, "add_bos_token": False, "add_eos_token": True,
            "bos_token": "<s>", "eos_token": "<|end|>", "unk_token": "<unk>", "pad_token": "<|end|>",
            "added_tokens_decoder": {
                "0": added("<unk>"), "1": added("<s>"), "2": added("</s>", rstrip=True),
                "{N}": added("<|user|>", rstrip=True), "{N+1}": added("<|assistant|>", rstrip=True),
                "{N+2}": added("<|end|>", rstrip=True), "{N+3}": added("<|end|>\n", special=False),
                "{N+4}": added("tool", special=False, single_word=True, normalized=True)}},
    }),
    "mistral": ("bare", {
        "tokenizer_config.json": {
            "legacy": False, "add_prefix_space": False, "add_bos_token": True, "bos_token": "<s>", "eos_token": "</s>",
            "added_tokens_decoder": {
                "0": added("<unk>"), "1": added("<s>"), "2": added("</s>"), "3": added("[INST]"),
                "4": added("[/INST]", lstrip=True), "5": added("<|im_start|>"),
                "{N+2}": added("hello", special=False, lstrip=True, rstrip=True),
                "{N+3}": added("été", special=False, single_word=True)}},
    }),
    "unigram": ("unigram", {
        "special_tokens_map.json": {"additional_special_tokens": [added("<|user|>", rstrip=True), "<|end|>"],
                                    "cls_token": "[CLS]", "mask_token": added("[MASK]", lstrip=True, special=False)},
        "tokenizer_config.json": {"add_eos_token": True, "legacy": True, "clean_up_tokenization_spaces": False,
                                  "spaces_between_special_tokens": True},
    }),
    "new": ("llama", {
        "added_tokens.json": {"<|im_start|>": "{N}", "<|im_end|>": "{N+1}", "日本": "{N+2}", "▁the": "{N+3}"},
        "tokenizer_config.json": {
            "legacy": False, "bos_token": {"__type": "AddedToken"} | added("<s>", rstrip=True), "eos_token": None,
            "add_bos_token": True, "additional_special_tokens": ["<|im_start|>", "<|im_end|>"]},
    }),
    "alone": ("llama", {}),
    "split": ("unigram", {"tokenizer_config.json": {"legacy": False, "split_special_tokens": True,
                                                    "add_bos_token": False}}),
}

MARKERS = ["<s>", "</s>", "<unk>", "<pad>", "<|im_start|>", "<|im_end|>", "<|user|>", "<|assistant|>", "<|end|>",
           "<|end|>\n", "<|old|>", "<|new|>", "[INST]", "[/INST]", "[control_8]", "USER:", "tool", "hello", "été",
           "[CLS]", "[MASK]", "日本", "▁the"]
FRAGMENTS = MARKERS + [" " + marker for marker in MARKERS] + [marker + " " for marker in MARKERS] + MARKERS + [
    " ", " ", "  ", "   ", "\n", "\n\n", "\t", "\r\n", "\u00a0", "\u3000", "\u001c", "▁", "▁▁", ".", ",", "'", "<", "|>", "<|",
    "user", " user", "system\n", "assistant", "the", " the", "cat", " cat", "dog", " sat on", "Once", "what is", "?", "!",
    "12", "345", " 6789", "a", "b", "x", " x", "Z", "q", "é", "ß", "größer", " naïve", "привет", " мир", "日", "本", "語",
    "中文", "\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "e\u0301", "\u200b", "\ufeff", "\ufffd", "\u0000",
    "<0x41>", "tools", "helloworld", "</", "s>", "INST]", "[INST", "<|im_start", "<|end|", "|end|>", "\\n", "{}", "\"",
    "a quick brown fox", "fi", "\ufb01", "Ａ", "½", "ï", "∑", "→"]
COUNT, SHOWN = 2000, 40


def texts(count, seed=1):
    """The test has the same function."""
    state, result = seed, []

    def draw(n):
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % n

    for i in range(count):
        result.append("".join(FRAGMENTS[draw(len(FRAGMENTS))] for _ in range(draw(2 + i % 12))))
    return result


def hash_of(ids):
    value = 0xcbf29ce484222325
    for id in ids:
        value = (value ^ id) * 0x100000001b3 % 2**64
    return value >> 32


def fill(value, pieces):
    """With the ids in the place of {N+…}."""
    if isinstance(value, dict):
        return {fill(key, pieces): fill(item, pieces) for key, item in value.items()}
    if isinstance(value, list):
        return [fill(item, pieces) for item in value]
    if isinstance(value, str) and value.startswith("{N"):
        return pieces + int(value[2:-1] or 0)
    return value


def make_model(name, path):
    model = io.BytesIO()  # a file's name would stand in it
    sentencepiece.SentencePieceTrainer.Train(sentence_iterator=iter(CORPUS * 4), model_writer=model, num_threads=1,
                                             minloglevel=2, **MODELS[name])
    path.write_bytes(model.getvalue())


def make_kind(kind, folder):
    model, files = KINDS[kind]
    folder.mkdir(parents=True, exist_ok=True)
    make_model(model, folder / "tokenizer.model")
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "tokenizer.model")).get_piece_size()
    for name, content in files.items():
        (folder / name).write_text(json.dumps(fill(content, pieces), ensure_ascii=False, indent=1) + "\n")


def load(folder):
    return LlamaTokenizer.from_pretrained(str(folder))


def decode(tokenizer, ids):
    """The slow tokenizer shows special tokens that have no role; we show none."""
    added = tokenizer.added_tokens_decoder
    return tokenizer.decode([id for id in ids if id not in added or not added[id].special], skip_special_tokens=True)


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "pieces"
    folder.mkdir(exist_ok=True)
    (folder / "texts.json").write_text(json.dumps({"count": COUNT, "fragments": FRAGMENTS}, separators=(",", ":")) + "\n")
    for kind in KINDS:
        make_kind(kind, folder / kind)
        tokenizer = load(folder / kind)
        hashes, shown = [], []
        for i, text in enumerate(texts(COUNT)):
            ids = tokenizer.encode(text)
            plain = tokenizer.encode(text, add_special_tokens=False)
            hashes.append(hash_of(ids))
            if i < SHOWN:
                shown.append({"text": text, "ids": plain, "prompt": ids})
                if KINDS[kind][1]:  # the model alone decodes as the SentencePiece library does
                    shown[-1]["decoded"] = decode(tokenizer, plain)
        (folder / kind / "expected.json").write_text(json.dumps(
            {"size": max(tokenizer.get_vocab().values()) + 1, "shown": shown, "hashes": hashes}, ensure_ascii=False, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
