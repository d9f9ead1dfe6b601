"""pooled.py HIDDEN.npy EMBEDDING: whether the embedding is the mean of the rows, of length 1, to 1e-5.

EMBEDDING is a .npy file or the text nstf-run prints. By the standard library alone."""
import ast
import math
import struct
import sys


def read(name):
    with open(name, "rb") as file:
        content = file.read()
    if not content.startswith(b"\x93NUMPY"):
        return None, [float(word) for word in content.decode().split("\n")[-2].split()]
    length = struct.unpack("<H", content[8:10])[0]
    header = ast.literal_eval(content[10 : 10 + length].decode())
    assert header["descr"] == "<f4"
    data = content[10 + length :]
    return header["shape"], struct.unpack("<%df" % (len(data) // 4), data)


(rows, columns), hidden = read(sys.argv[1])
shape, embedding = read(sys.argv[2])
assert shape in (None, (1, columns)), shape
mean = [sum(hidden[i::columns]) / rows for i in range(columns)]
norm = math.sqrt(sum(value * value for value in mean))
difference = max(abs(value / norm - other) for value, other in zip(mean, embedding, strict=True))
print("rows", rows, "columns", columns, "pooled" if difference < 1e-5 else f"different by {difference}")
