"""mlp.py write X.npy ROWS: a made-up input. mlp.py check SEED X.npy PROBABILITIES.npy CHOICE.npy: the network of
test/compiler/import/Inputs/mlp.yaml in float64, with the weights of --weights=random:SEED, against what was computed.

By the standard library alone, from the formulas: runtime/include/nstf/RandomWeights.h says what the weights are."""
import ast
import math
import struct
import sys

FEATURES, HIDDEN, CLASSES = 20, 33, 7
MASK = (1 << 64) - 1


def read(path):
    with open(path, "rb") as file:
        content = file.read()
    length = struct.unpack("<H", content[8:10])[0]
    header = ast.literal_eval(content[10 : 10 + length].decode())
    code = "f" if header["descr"] == "<f4" else "i"
    data = content[10 + length :]
    return header["shape"], struct.unpack("<%d%s" % (len(data) // 4, code), data)


def mix(x):
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def weights(seed, name, *shape):
    """Rows of the tensor, or its only one."""
    text = 0xCBF29CE484222325
    for byte in name.encode():
        text = ((text ^ byte) * 0x100000001B3) & MASK
    key = mix(seed ^ text)
    scale = math.sqrt(3 / shape[-1]) if len(shape) > 1 else 1.0
    bits = (mix((key + (i + 1) * 0x9E3779B97F4A7C15) & MASK) >> 40 for i in range(math.prod(shape)))
    values = [(b / 8388608 - 1) * scale for b in bits]
    return [values[i : i + shape[-1]] for i in range(0, len(values), shape[-1])] if len(shape) > 1 else values


def linear(x, w, bias=None):
    return [sum(a * b for a, b in zip(x, row)) + (bias[i] if bias else 0.0) for i, row in enumerate(w)]


if sys.argv[1] == "write":
    rows = int(sys.argv[3])
    values = [math.sin(1 + 0.37 * i) * 1.5 for i in range(rows * FEATURES)]
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }\n" % (rows, FEATURES)
    with open(sys.argv[2], "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("<%df" % len(values), *values))
    sys.exit()

seed = int(sys.argv[2])
(rows, _), x = read(sys.argv[3])
shape, probabilities = read(sys.argv[4])
choiceShape, choice = read(sys.argv[5])
assert shape == (rows, CLASSES) and choiceShape == (rows,), (shape, choiceShape)
fc1, bias = weights(seed, "fc1.weight", HIDDEN, FEATURES), weights(seed, "fc1.bias", HIDDEN)
fc2, head = weights(seed, "fc2.weight", FEATURES, HIDDEN), weights(seed, "head.weight", CLASSES, FEATURES)
worst = 0.0
for row in range(rows):
    v = x[row * FEATURES : (row + 1) * FEATURES]
    hidden = [h / (1 + math.exp(-h)) for h in linear(v, fc1, bias)]
    scores = linear([a + b for a, b in zip(v, linear(hidden, fc2))], head)
    exponents = [math.exp(s - max(scores)) for s in scores]
    expected = [e / sum(exponents) for e in exponents]
    got = probabilities[row * CLASSES : (row + 1) * CLASSES]
    worst = max([worst] + [abs(a - b) for a, b in zip(expected, got)])
    assert choice[row] == scores.index(max(scores)), (row, choice[row], scores)
assert worst < 1e-6, worst
print(f"{rows} rows, largest error {worst:.1e}")
