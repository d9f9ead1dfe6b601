"""Compares two folders of nstfc calibrate: each tensor's largest difference, beside its largest number."""

import argparse
import json
import pathlib
import struct

import numpy

TYPES = {"F32": numpy.float32, "I64": numpy.int64}


def read(file):
    data = file.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    tensors = json.loads(data[8 : 8 + size])
    tensors.pop("__metadata__", None)
    for name, tensor in tensors.items():
        begin, end = (8 + size + offset for offset in tensor["data_offsets"])
        yield name, numpy.frombuffer(data[begin:end], TYPES[tensor["dtype"]]).astype(numpy.float64)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("expected", type=pathlib.Path)
parser.add_argument("got", type=pathlib.Path)
parser.add_argument("--part", choices=["all", "fitted"], help="of all tokens, or of those that are fitted, alone")
parser.add_argument("--limit", type=float, required=True, help="largest difference, beside a tensor's largest number")
options = parser.parse_args()



def read_part(file):
    return {name: numbers for name, numbers in read(file)
            if not options.part or (".fitted." in name) == (options.part == "fitted")}


files = sorted(options.expected.glob("*.safetensors"))
count = 0
for file in files:
    expected, got = read_part(file), read_part(options.got / file.name)
    assert expected.keys() == got.keys(), file.name
    for name, numbers in expected.items():
        if name.endswith(".histogram"):  # a number beside a power of two may be in either bin
            assert numbers.sum() == got[name].sum(), name
            assert abs(numbers - got[name]).sum() <= 0.01 * numbers.sum(), name
            continue
        error = abs(numbers - got[name]).max() / max(abs(numbers).max(), 1e-30)
        assert error <= options.limit, (name, error)
        count += 1
assert files
print(f"{len(files)} files, {count} tensors within {options.limit}")
