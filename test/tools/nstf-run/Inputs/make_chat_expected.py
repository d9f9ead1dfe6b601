#!/usr/bin/env python3
"""Writes chat_expected.json: what transformers makes of the conversations of chat.test. Run once, with transformers 4 and
sentencepiece from PyPI:

    make_chat_expected.py KIND=MODEL,FILE ... >chat_expected.json

FILE is what nstf-run --chat --json printed of a conversation with the model: the messages come from there, and
everything else from transformers: apply_chat_template, as text and as ids, and decode.
"""
import json
import pathlib
import sys

from transformers import LlamaTokenizer, PreTrainedTokenizerFast

result = {}
for argument in sys.argv[1:]:
    kind, _, rest = argument.partition("=")
    model, _, file = rest.partition(",")
    if (pathlib.Path(model) / "tokenizer.json").exists():
        tokenizer = PreTrainedTokenizerFast.from_pretrained(model)
    else:
        tokenizer = LlamaTokenizer.from_pretrained(model)
        tokenizer.chat_template = (pathlib.Path(model) / "chat_template.jinja").read_text()
    messages = [{"role": "system", "content": "Be brief."}]
    result[kind] = []
    for line, message in zip(open(file), ["Hello there", "And then?", "über 3 bears\nand more"]):
        turn = json.loads(line)
        messages.append({"role": "user", "content": message})
        prompt = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        ids = tokenizer.apply_chat_template(messages, tokenize=True, add_generation_prompt=True)
        # As transformers' pipeline: the text of all, less that of the prompt.
        whole = tokenizer.decode(ids + turn["ids"], skip_special_tokens=True)
        answer = whole[len(tokenizer.decode(ids, skip_special_tokens=True)):]
        messages.append({"role": "assistant", "content": answer})
        result[kind].append({"prompt": prompt, "ids": list(ids), "answer": answer})
json.dump(result, sys.stdout, ensure_ascii=False, indent=1)
