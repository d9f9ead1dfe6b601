#!/usr/bin/env python3
"""Writes a small instruct model for tests: make_chat_model.py plain|reasoning|trained FOLDER

plain, reasoning: a random Llama with a byte-level tokenizer.json and the markers of ChatML; what it says is mostly no
text, so its answers' texts have other ids than were sampled. The template of `reasoning` leaves out what an earlier
answer says before "</think>".
trained: examples/01-tiny-llama with a template that only ever adds.
"""
import json
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.append(str(ROOT / "test/compiler/import/Inputs"))
import make_checkpoint  # noqa: E402

MARKERS = {"<|im_start|>": True, "<|im_end|>": True, "<think>": False, "</think>": False}

PLAIN = """{%- for message in messages %}
<|im_start|>{{ message.role }}
{{ message['content'] }}<|im_end|>
{% endfor %}
{% if add_generation_prompt %}
<|im_start|>assistant
{% endif %}"""

REASONING = """{%- if not messages or messages[0].role == 'tool' %}
    {{- raise_exception('a conversation begins with a user') }}
{%- endif %}
{%- set last = messages | length - 1 %}
{%- for message in messages %}
    {%- set text = message.content %}
    {%- if 'forbidden' in text %}{{ raise_exception('not this word') }}{% endif %}
    {%- if message.role == 'assistant' and '</think>' in text and loop.index0 < last %}
        {%- set text = text.split('</think>')[-1].lstrip('\\n') %}
    {%- endif %}
    {{- '<|im_start|>' ~ message.role ~ '\\n' ~ text ~ '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and not enable_thinking %}{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}
{%- endif %}"""

TRAINED = """{{ bos_token }}{% for message in messages %}
{% if message.role == 'system' %}{{ message.content }} {% elif message.role == 'user' %}
({{ message.content | trim }}){% else %}{{ message.content ~ eos_token }}{% endif %}
{% endfor %}"""


def write_random(folder, template):
    tokenizer = json.loads((ROOT / "test/runtime/model/Inputs/tokenizers/qwen2.json").read_text())
    ids = {}
    for content, special in MARKERS.items():
        ids[content] = 1 + max(token["id"] for token in tokenizer["added_tokens"])
        tokenizer["added_tokens"].append({"id": ids[content], "content": content, "single_word": False, "lstrip": False,
                                          "rstrip": False, "normalized": False, "special": special})
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    settings = {"add_bos_token": False, "bos_token": None, "eos_token": "<|im_end|>", "chat_template": template,
                "tokenizer_class": "PreTrainedTokenizerFast"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    config = make_checkpoint.LLAMA | {"vocab_size": 432, "max_position_embeddings": 256, "bos_token_id": None,
                                      "eos_token_id": 420}
    (folder / "config.json").write_text(json.dumps(config))
    make_checkpoint.write_safetensors(folder / "model.safetensors", make_checkpoint.llama_shapes(config), "F32")


def write_trained(folder):
    for name in ("config.json", "model.safetensors", "tokenizer.model"):
        shutil.copyfile(ROOT / "examples/01-tiny-llama" / name, folder / name)
    (folder / "chat_template.jinja").write_text(TRAINED)


kind, folder = sys.argv[1], pathlib.Path(sys.argv[2])
folder.mkdir(parents=True)
if kind == "trained":
    write_trained(folder)
else:
    write_random(folder, {"plain": PLAIN, "reasoning": REASONING}[kind])
