"""rounding.py write X.npy: numbers on and around the edges between two of f16 and of bf16. rounding.py f16|bf16 X.npy Y.npy:
compares every number of Y with X rounded to nearest even, bit by bit.

By the standard library alone: struct rounds to f16, bits to bf16."""
import ast
import random
import struct
import sys

COUNT = 4096


def read(path):
    with open(path, "rb") as file:
        content = file.read()
    length = struct.unpack("<H", content[8:10])[0]
    assert ast.literal_eval(content[10 : 10 + length].decode())["shape"] == (1, COUNT)
    return struct.unpack("<%dI" % COUNT, content[10 + length :])


def float_of(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def round_f16(bits):
    value = float_of(bits)
    try:
        return struct.unpack("<I", struct.pack("<f", struct.unpack("<e", struct.pack("<e", value))[0]))[0]
    except OverflowError:
        return bits & 0x80000000 | 0x7F800000


def round_bf16(bits):
    return (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000


def is_nan(bits):
    return bits & 0x7FFFFFFF > 0x7F800000


if sys.argv[1] == "write":
    rng = random.Random(1)
    values = [0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F7FFFFF, 0x477FEFFF, 0x477FF000, 0x477FF001, 0x33000000, 0x33000001]
    while len(values) < COUNT:
        bits = rng.getrandbits(32)
        if len(values) % 4:  # in the range of f16, on an edge of it or of bf16, or one bit beside
            bits = bits & 0x80000000 | rng.randrange(100, 144) << 23 | bits & 0x7FFFFF
            edge = 0x1000 if len(values) % 4 == 1 else 0x8000
            bits = (bits & ~(2 * edge - 1) | edge) + rng.choice([-1, 0, 0, 1])
        values.append(bits)
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, %d), }\n" % COUNT
    with open(sys.argv[2], "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack("<%dI" % COUNT, *values))
else:
    rounded = {"f16": round_f16, "bf16": round_bf16}[sys.argv[1]]
    wrong = 0
    for x, y in zip(read(sys.argv[2]), read(sys.argv[3]), strict=True):
        same = is_nan(y) if is_nan(x) else rounded(x) == y
        if not same:
            print(f"{float_of(x)!r} ({x:08x}): expected {rounded(x):08x} but got {y:08x}")
            wrong += 1
    sys.exit(1 if wrong else 0)
