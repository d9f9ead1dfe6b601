"""Models of a Llama with its own head that are hard to hold in fewer bits.

    loud_model.py range MODEL FOLDER     rows of every up times 2^16, columns of down divided by it: the same function,
                                         activations past f16
    loud_model.py cancel MODEL FOLDER    two neurons of layer 1 that are one, whose columns of down nearly cancel
    loud_model.py plant MODEL FOLDER     three entries of each norm times 64, the matching columns divided by it: the same
                                         function, channels that stand out

f32 in one file."""
import array
import json
import pathlib
import shutil
import struct
import sys

kind, source, folder = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
shutil.copytree(source, folder)
data = bytearray((source / "model.safetensors").read_bytes())
start = 8 + struct.unpack("<Q", data[:8])[0]
entries = json.loads(data[8:start])


def edit(name, change):
    entry = entries[name]
    assert entry["dtype"] == "F32", entry
    begin, end = (start + offset for offset in entry["data_offsets"])
    numbers = array.array("f", bytes(data[begin:end]))
    change(numbers, entry["shape"][-1])
    data[begin:end] = numbers.tobytes()


def scale(factor):
    def change(numbers, _):
        numbers[:] = array.array("f", (factor * number for number in numbers))
    return change


def repeat(factor):
    """The first row larger, and the second one the same."""
    def change(numbers, columns):
        for i in range(columns):
            numbers[i] *= factor
            numbers[columns + i] = numbers[i]
    return change


def scale_channels(factor):
    def change(numbers, columns):
        for row in range(0, len(numbers), columns):
            for channel in (3, 20, 41):
                numbers[row + channel] *= factor
    return change


def oppose(numbers, columns):
    for row in range(0, len(numbers), columns):
        numbers[row] += 4000
        numbers[row + 1] -= 4000


for name in entries:
    if kind == "range" and name.endswith("up_proj.weight"):
        edit(name, scale(2.0**16))
    elif kind == "range" and name.endswith("down_proj.weight"):
        edit(name, scale(2.0**-16))
    elif kind == "plant" and name.endswith("norm.weight"):
        edit(name, scale_channels(64))
    elif kind == "plant" and name.removesuffix(".weight").endswith(("q_proj", "k_proj", "v_proj", "gate_proj", "up_proj", "lm_head")):
        edit(name, scale_channels(1 / 64))
if kind == "cancel":
    edit("model.layers.1.mlp.gate_proj.weight", repeat(1))
    edit("model.layers.1.mlp.up_proj.weight", repeat(16))
    edit("model.layers.1.mlp.down_proj.weight", oppose)
(folder / "model.safetensors").write_bytes(data)
