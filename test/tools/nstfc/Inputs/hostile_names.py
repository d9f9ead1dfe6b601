#!/usr/bin/env python3
"""Writes models whose files hold names no terminal should see, into FOLDER: escape/, long/ and nul/ with safetensors and an
index, escape.yaml and long.yaml."""
import json
import pathlib
import struct
import sys

folder, model = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
config = (model / "config.json").read_text()


def checkpoint(name, header, index=None):
    (folder / name).mkdir(parents=True)
    (folder / name / "config.json").write_text(config)
    text = json.dumps(header).encode()
    (folder / name / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + bytes(8))
    if index:
        (folder / name / "model.safetensors.index.json").write_text(json.dumps(index))


sequence = "\x1b[31mred\x9b1m\u202e\r\nsecond line"
for name, tensor in {"escape": sequence, "long": "n" * 50_000_000}.items():
    checkpoint(name, {tensor: {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}})
checkpoint("type", {"a": {"dtype": "\x1b]0;title\x07" + "t" * 1000, "shape": [2], "data_offsets": [0, 8]}})
checkpoint("nul", {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}},
           {"weight_map": {"a": "model.safetensors\0.other"}})
checkpoint("path", {"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, {"weight_map": {"a": "f" * 1_000_000}})
for name, op in {"escape": "\\e[31mred", "long": "o" * 1_000_000}.items():
    (folder / f"{name}.yaml").write_text(
        'name: g\ncontext: 8\ninputs: {x: [tokens, 4]}\nnodes:\n  y: {op: "%s", operands: [x]}\noutputs: {y: y}\n' % op)
