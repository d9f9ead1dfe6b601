#!/usr/bin/env python3
"""Ends a writer of weights in their middle, and says what it left.

    interrupt.py make FOLDER                 a graph with 64 MB of weights, in a file with holes
    interrupt.py [--ignored] SIGNAL PLACE COMMAND...
                                             runs the command until weights grow beside PLACE, sends the signal, and prints
                                             what ended the command and what is left in PLACE's folder; the command finds
                                             the signal ignored, as under nohup, or as it is by default
"""
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import time


def make(folder):
    shape = [4096, 4096]
    size = shape[0] * shape[1] * 4
    header = json.dumps({"w": {"dtype": "F32", "shape": shape, "data_offsets": [0, size]}}).encode()
    folder.mkdir(parents=True)
    with open(folder / "w.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        file.truncate(8 + len(header) + size)
    (folder / "graph.yaml").write_text(
        "name: g\ncontext: 8\ncheckpoint: w.safetensors\ninputs: {x: [tokens, 4096]}\nweights: {w: [4096, 4096]}\n"
        "nodes:\n  y: {op: linear, operands: [x, w]}\noutputs: {y: y}\n")


def interrupt(name, place, command, before):
    number = signal.Signals[name]
    setting = (lambda: signal.signal(number, before)) if number != signal.SIGKILL else None
    process = subprocess.Popen(command, stderr=subprocess.STDOUT, preexec_fn=setting)
    while process.poll() is None:
        weights = list(place.parent.glob(f".{place.name}.nstf-writing-*/content/weights.safetensors"))
        if weights:
            process.send_signal(number)
            break
        time.sleep(0.005)
    status = process.wait(timeout=300)
    print("ended by", signal.Signals(-status).name if status < 0 else status)
    for left in sorted(os.listdir(place.parent)):
        print("left:", left)


if sys.argv[1] == "make":
    make(pathlib.Path(sys.argv[2]))
else:
    ignored = sys.argv[1] == "--ignored"
    name, place, *command = sys.argv[1 + ignored:]
    interrupt(name, pathlib.Path(place), command, signal.SIG_IGN if ignored else signal.SIG_DFL)
