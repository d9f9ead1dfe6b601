"""What each kernel of `nstfc kernel --list` computes, in numpy, and the sizes it is tried with."""
import math
import sys

import numpy


def to_bits(values, kind):
    """Numbers as the bytes of a type; bf16 rounds to nearest even."""
    if kind == "bf16":
        bits = numpy.asarray(values, numpy.float32).view(numpy.uint32)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(numpy.uint16)
    return numpy.asarray(values).astype({"f32": numpy.float32, "f16": numpy.float16, "i32": numpy.int32, "i8": numpy.int8}[kind])


def from_bits(array, kind):
    if kind == "bf16":
        return (array.astype(numpy.uint32) << 16).view(numpy.float32).astype(numpy.float64)
    return array.astype(numpy.int32 if kind in ("i32", "i8") else numpy.float64)


def random(seed, shape):
    return numpy.random.default_rng(seed).uniform(-1, 1, shape)


def softmax(x):
    e = numpy.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def activate(x, kind):
    if kind == "gelu":
        return x * 0.5 * (1 + numpy.vectorize(math.erf)(x / math.sqrt(2)))
    if kind == "gelu_tanh":
        return x * 0.5 * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return {"none": x, "silu": x / (1 + numpy.exp(-x)), "relu": numpy.maximum(x, 0), "tanh": numpy.tanh(x)}[kind]


def product(activation):
    def compute(a, position):
        y = a["x"] @ a["w"].T + a.get("bias", 0)
        return activate(y, activation) + a.get("residual", 0)
    return compute


def quantize(group=None):
    """Of groups of so many columns, or of whole rows."""
    def compute(a, position):
        x = a["x"].astype(numpy.float32)
        groups = x.reshape(len(x), -1, group or x.shape[1])
        scales = numpy.abs(groups).max(axis=-1) / numpy.float32(127)
        return {"codes": numpy.rint(groups / scales[:, :, None]).reshape(x.shape), "scales": scales}
    return compute


def rope(heads, head, rotary, interleaved):
    def compute(a, position):
        x = a["x"].reshape(len(a["x"]), heads, head)
        y, half = x.copy(), rotary // 2
        for i in range(len(x)):
            cosines, sines = a["table"][position + i, :half], a["table"][position + i, half:]
            low = numpy.arange(half) * 2 if interleaved else numpy.arange(half)
            high = low + 1 if interleaved else low + half
            y[i][:, low] = x[i][:, low] * cosines - x[i][:, high] * sines
            y[i][:, high] = x[i][:, high] * cosines + x[i][:, low] * sines
        return y.reshape(a["x"].shape)
    return compute


def attention(heads, kv_heads, head, causal, window=0, scale=None):
    def compute(a, position):
        q = a["q"].reshape(-1, heads, head)
        k, v = (a.get(n + "_cache", a.get(n)).reshape(-1, kv_heads, head) for n in "kv")
        if "k_scales" in a:
            k, v = (codes * a[n + "_scales"][:, :, None] for n, codes in (("k", k), ("v", v)))
        start = position if "k_cache" in a else 0
        y = numpy.zeros(q.shape)
        for i in range(len(q)):
            last = start + i + 1 if causal else len(k)
            first = max(0, last - window) if window else 0
            for h in range(heads):
                g = h // (heads // kv_heads)
                weights = softmax(k[first:last, g] @ q[i, h] * (scale or 1 / math.sqrt(head)))
                y[i, h] = weights @ v[first:last, g]
        return y.reshape(a["q"].shape)
    return compute


def append(a, position):
    cache = a["cache"].copy()
    cache[position:position + len(a["rows"])] = a["rows"]
    return cache


def rms(a, position):
    x = a["x"].reshape(len(a["x"]), -1, len(a["weight"]))
    return (x * a["weight"] / numpy.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-5)).reshape(a["x"].shape)


def layer(a, position):
    x = a["x"] - a["x"].mean(axis=-1, keepdims=True)
    return x * a["weight"] / numpy.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-5) + a.get("bias", 0)


# kernel: (options without the rows, what it computes). Sizes that nothing divides.
CASES = {
    "add": [("--n=37", lambda a, p: a["a"] + a["b"]), ("--n=37 --type=f16", lambda a, p: a["a"] + a["b"])],
    "add_positions": [("--n=37 --positions=50 --offset=2", lambda a, p: a["x"] + a["table"][p + 2:p + 2 + len(a["x"])])],
    "argmax": [("--n=300", lambda a, p: a["x"].argmax(axis=-1))],
    "attention": [("--heads=4 --kv-heads=2 --head-size=20 --context=50", attention(4, 2, 20, True)),
                  ("--heads=3 --head-size=16 --causal=false", attention(3, 3, 16, False)),
                  ("--heads=2 --head-size=24 --context=50 --window=5 --type=bf16", attention(2, 2, 24, True, 5)),
                  ("--heads=4 --kv-heads=2 --head-size=20 --context=50 --kv-order=operands", attention(4, 2, 20, True)),
                  ("--heads=8 --kv-heads=2 --head-size=80 --context=77 --kv-order=operands --type=f16", attention(8, 2, 80, True)),
                  ("--heads=4 --kv-heads=2 --head-size=64 --context=50 --window=5 --kv-order=operands --type=bf16",
                   attention(4, 2, 64, True, 5)),
                  ("--heads=4 --kv-heads=2 --head-size=20 --context=50 --kv-type=i8 --scale=0.002", attention(4, 2, 20, True, scale=0.002)),
                  ("--heads=8 --kv-heads=2 --head-size=80 --context=77 --kv-type=i8 --kv-order=operands --type=bf16 --scale=0.002",
                   attention(8, 2, 80, True, scale=0.002))],
    "convert": [("--n=37 --out-type=bf16", lambda a, p: a["x"]), ("--n=37 --type=f16 --out-type=f32", lambda a, p: a["x"])],
    "embedding": [("--n=37 --rows=19", lambda a, p: a["table"][a["ids"]]),
                  ("--n=40 --rows=19 --type=f16", lambda a, p: a["table"][a["ids"]])],
    "first_row": [("--n=37", lambda a, p: a["x"][:1])],
    "gelu": [("--n=37", lambda a, p: activate(a["x"], "gelu")), ("--n=37 --tanh", lambda a, p: activate(a["x"], "gelu_tanh"))],
    "kv_append": [("--n=37 --context=50", append), ("--n=37 --context=50 --type=f16", append),
                  ("--n=76 --heads=2 --context=50 --order=keys", append),
                  ("--n=128 --heads=2 --context=50 --order=keys --type=bf16", append),
                  ("--n=76 --heads=2 --context=50 --order=values --type=f16", append),
                  ("--n=96 --heads=2 --context=50 --order=values", append)],
    "l2_normalize": [("--n=37", lambda a, p: a["x"] / numpy.sqrt((a["x"]**2).sum(axis=-1, keepdims=True)))],
    "last_row": [("--n=37", lambda a, p: a["x"][-1:])],
    "layer_norm": [("--n=37", layer), ("--n=37 --bias=false --out-type=f16", layer)],
    "matmul": [("--n=33 --k=20", product("none")),
               ("--n=96 --k=64 --bias --activation=silu --residual", product("silu")),
               ("--n=33 --k=20 --type=f16", product("none")),
               ("--n=70 --k=96 --type=bf16 --bias --activation=gelu", product("gelu")),
               ("--n=70 --k=96 --type=f16 --out-type=f32 --activation=relu --residual", product("relu")),
               ("--n=33 --k=83 --type=i8", product("none"))],
    "matvec": [("--n=33 --k=20", product("none")), ("--n=70 --k=96 --type=f16 --bias --activation=tanh", product("tanh"))],
    "mean_rows": [("--n=37", lambda a, p: a["x"].mean(axis=0, keepdims=True))],
    "mul": [("--n=37", lambda a, p: a["a"] * a["b"])],
    "relu": [("--n=37 --type=bf16", lambda a, p: activate(a["x"], "relu"))],
    "quantize": [("--n=37", quantize()), ("--n=96 --group=24 --x-type=bf16", quantize(24))],
    "rms_norm": [("--n=37", rms), ("--n=96 --group=24 --out-type=bf16", rms)],
    "rope": [("--heads=3 --head-size=12 --context=50", rope(3, 12, 12, False)),
             ("--heads=2 --head-size=16 --rotary=8 --context=50 --interleaved --out-type=f16", rope(2, 16, 8, True))],
    "silu": [("--n=37", lambda a, p: activate(a["x"], "silu"))],
    "softmax": [("--n=300", lambda a, p: softmax(a["x"]))],
    "swiglu": [("--n=37 --type=f16", lambda a, p: activate(a["gate"], "silu") * a["up"])],
    "tanh": [("--n=37", lambda a, p: activate(a["x"], "tanh"))],
}
TOLERANCE = {"f32": 2e-6, "f16": 1e-3, "bf16": 8e-3}
DTYPES = ("f32", "f16", "bf16", "i32")


def check_result(kernel, options, kinds, output, got, wanted):
    """Ends the program where `got` is not `wanted`, as exactly as the types allow; `kinds` has each argument's."""
    scale = max(1.0, float(numpy.abs(wanted).max()))
    operands = max((TOLERANCE.get(kind, 0) for name, kind in kinds.items() if name in ("q", "k", "v")), default=0)
    error = float(numpy.abs(got - wanted).max()) / scale if got.shape == wanted.shape else numpy.inf
    # Weights of attention are rounded to the operands' type before the second product.
    rounded = "bf16" if "type=bf16" in options else "f16" if "type=f16" in options else "f32"
    limit = max(TOLERANCE.get(kinds[output], 0), TOLERANCE[rounded] if kernel == "attention" else 0, operands)
    if not error <= limit:
        sys.exit(f"{kernel} {options}: expected {limit} for {wanted.shape} but the error for {got.shape} is {error}")
