#!/usr/bin/env python3
"""Compares our tokenizers with Hugging Face's library on random texts, for as long as you like.

    compare_tokenizers.py TOKENIZE COUNT [SEED] [tokenizer.json ...]

TOKENIZE is build/bin/unittests/tokenize. Without files the kinds of make_tokenizers.py are made anew. Prints each
difference (five of a file) and a line a file; exit status 1 on any difference. Needs the packages of make_tokenizers.py.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unicodedata

from make_tokenizers import CORPUS, KINDS, TEXTS, answers, ids_of
from tokenizers import Tokenizer


def random_text(draw):
    """Bits of the corpus, hard strings and single characters, glued together."""
    parts = []
    for _ in range(draw.randrange(1, 14)):
        way = draw.randrange(6)
        if way == 0:
            text = draw.choice(CORPUS)
            start = draw.randrange(len(text))
            parts.append(text[start:start + draw.randrange(1, 20)])
        elif way == 1:
            text = draw.choice(TEXTS) or "-"
            start = draw.randrange(len(text))
            parts.append(text[start:start + draw.randrange(1, 12)])
        elif way == 2:
            parts.append(draw.choice([" ", "  ", "\n", "\t", "\r\n", " \n ", "\u00a0", "\u3000", "'", "_", ",", "▁"]) * draw.randrange(1, 4))
        elif way == 3:
            parts.append(draw.choice(["<s>", "</s>", "<|endoftext|>", "[MASK]", "<mask>", "new", "<unk>", "'re", "'LL", "##", "@@"]))
        elif way == 4:
            parts.append("".join(chr(draw.randrange(32, 127)) for _ in range(draw.randrange(1, 8))))
        else:
            parts.append(random_character(draw))
    return "".join(parts)


def random_character(draw):
    """Of old characters: the library's parts know different versions of Unicode, and ours another. Two have changed their
    category meanwhile."""
    while True:
        code = draw.choice([draw.randrange(0x300), draw.randrange(0x3000), draw.randrange(0x10000), draw.randrange(0x20000)])
        if not 0xd800 <= code < 0xe000 and code not in (0x166d, 0x1734) and unicodedata.ucd_3_2_0.category(chr(code)) != "Cn":
            return chr(code)


def compare(tokenize, path, texts, seed):
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    expected = answers(tokenizer, texts)
    lists = ids_of(tokenizer, seed, len(texts))
    requests = [{"text": text} for text in texts] + [{"ids": one["ids"]} for one in expected] + [{"ids": ids} for ids in lists]
    run = subprocess.run([tokenize, str(path)], input="".join(json.dumps(request) + "\n" for request in requests),
                         capture_output=True, text=True, check=True)
    ours = [json.loads(line) for line in run.stdout.split("\n") if line]
    assert len(ours) == len(requests)
    differences = []
    for one, got in zip(expected, ours):
        for key in ("ids", "prompt", "types"):
            if "error" in got or got[key] != one[key]:
                differences.append((key, one["text"], one[key], got.get(key, got.get("error"))))
    decoded = [one["decoded"] for one in expected] + [tokenizer.decode(ids) for ids in lists]
    for request, want, got in zip(requests[len(texts):], decoded, ours[len(texts):]):
        if got.get("text") != want or "".join(got["streamed"]) != want:
            differences.append(("decode", request["ids"], want, got))
    return differences


def main():
    tokenize, count, seed = sys.argv[1], int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "1"
    draw = random.Random(seed)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(name) for name in sys.argv[4:]]
        if not files:
            for name, make in KINDS.items():
                files.append(pathlib.Path(folder) / f"{name}.json")
                make().save(str(files[-1]))
        for path in files:
            differences = compare(tokenize, path, TEXTS + [random_text(draw) for _ in range(count)], seed)
            for kind, text, want, got in differences[:5]:
                print(f"  {kind} of {text!r}\n    library {want}\n    ours    {got}")
            print(f"{path.name}: {len(differences)} differences in {count + len(TEXTS)} texts")
            failed += len(differences) > 0
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
