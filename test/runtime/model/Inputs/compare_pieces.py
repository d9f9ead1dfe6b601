#!/usr/bin/env python3
"""Compares our tokenizer of SentencePiece models with transformers' slow one on random texts, for as long as you like.

    compare_pieces.py TOKENIZE COUNT [SEED] [FOLDER ...]

TOKENIZE is build/bin/unittests/tokenize. Without folders (tokenizer.model and what lies beside it) the kinds of
make_pieces.py are made anew. Prints each difference (five of a folder) and a line a folder; exit status 1 on any
difference. Needs the packages of make_pieces.py. Ids that are no UTF-8 aren't decoded, nor is anything where no file
lies beside the model: there the text is as the SentencePiece library has it.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

from make_pieces import KINDS, decode, load, make_kind, texts


def compare(tokenize, folder, count, seed):
    tokenizer = load(folder)
    draw = random.Random(seed)
    every = texts(count, seed)
    prompts = [tokenizer.encode(text) for text in every]
    plain = [tokenizer.encode(text, add_special_tokens=False) for text in every]
    known = sorted(id for piece, id in tokenizer.get_vocab().items() if not piece.startswith("<0x"))
    lists = plain + [draw.choices(known, k=draw.randrange(1, 12)) for _ in every]
    requests = [{"text": text} for text in every] + [{"ids": ids} for ids in lists]
    run = subprocess.run([tokenize, str(folder / "tokenizer.model"), "1"], capture_output=True, text=True, check=True,
                         input="".join(json.dumps(request) + "\n" for request in requests))
    ours = [json.loads(line) for line in run.stdout.split("\n") if line]
    assert len(ours) == len(requests)
    differences = {"ids": [], "prompt": [], "decode": [], "decode of random ids": []}
    for text, prompt, ids, got in zip(every, prompts, plain, ours):
        for key, want in (("prompt", prompt), ("ids", ids)):
            if got.get(key) != want:
                differences[key].append((text, want, got.get(key, got)))
    hasFiles = set(path.name for path in folder.glob("*.json")) - {"expected.json"}
    for i, (ids, got) in enumerate(zip(lists if hasFiles else [], ours[count:])):
        want = decode(tokenizer, ids)
        if got.get("text") != want or "".join(got["streamed"]) != want:
            differences["decode" if i < count else "decode of random ids"].append((ids, want, got))
    return differences


def main():
    tokenize, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
    failed = False
    with tempfile.TemporaryDirectory() as temporary:
        folders = [pathlib.Path(name) for name in sys.argv[4:]]
        if not folders:
            for kind in KINDS:
                folders.append(pathlib.Path(temporary) / kind)
                make_kind(kind, folders[-1])
        for folder in folders:
            differences = compare(tokenize, folder, count, seed)
            for kind, found in differences.items():
                for given, want, got in found[:5]:
                    print(f"  {kind} of {given!r}\n    transformers {want!r}\n    ours         {got!r}")
            print(f"{folder.name}: {count} texts, different " + ", ".join(f"{kind} {len(found)}" for kind, found in differences.items()))
            failed |= any(differences.values())
    sys.exit(failed)


if __name__ == "__main__":
    main()
