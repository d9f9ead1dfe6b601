"""What the Triton kernels are launched with, and what numpy says they should give.

A case: {name, kernel, grid, arguments: {parameter: array, None or ("i32", value)}, constants, outputs: {parameter: (expected,
tolerance)}, options, quick: in the sample that runs by default, chips}. Tolerances are of |expected| + 1."""
import numpy
import triton.language as tl

import kernels
from floats import Float, decode, encode

BOTH = ("gfx942", "gfx90a")


def case(name, kernel, grid, arguments, constants, outputs, quick=False, chips=BOTH, **options):
    grid = tuple(grid) + (1,) * (3 - len(grid))
    return dict(name=name, kernel=kernel, grid=grid, arguments=arguments, constants=constants, outputs=outputs, quick=quick,
                chips=chips, options=options)


def cdiv(a, b):
    return -(-a // b)


def i32(value):
    return ("i32", value)


def randoms(seed, *shape):
    return numpy.random.default_rng(seed).uniform(-1, 1, shape).astype(numpy.float32)


def integers(seed, low, high, *shape):
    return numpy.random.default_rng(seed).integers(low, high, shape, dtype=numpy.int32)


def empty(type, *shape):
    return Float(type, numpy.full(shape, 0xCD, numpy.uint8)) if type.startswith("fp8") else encode(type, numpy.full(shape, -77.0))


def vector_add(type, n, block, quick=False, **options):
    a, b = encode(type, randoms(1, n) * 100), encode(type, randoms(2, n) * 100)
    expected = decode(a) + decode(b) if isinstance(a, Float) or a.dtype.kind == "f" else a + b  # integers wrap
    tolerance = {"fp32": 1e-6, "fp16": 1e-3, "bf16": 8e-3, "fp64": 1e-15, "i32": 0, "i64": 0, "i16": 0, "i8": 0}[type]
    return case(f"add-{type}-{n}", kernels.add, [cdiv(n, block)], dict(a=a, b=b, c=empty(type, n), n=i32(n)), dict(BLOCK=block),
                dict(c=(expected, tolerance)), quick, **options)


def matmul(type, m, n, k, bm, bn, bk, quick=False, chips=BOTH, precision="ieee", out=None, **options):
    integer = type == "i8"
    scale = 1 if not integer else 127
    a, b = encode(type, randoms(3, m, k) * scale), encode(type, randoms(4, k, n) * scale)
    expected = decode(a) @ decode(b)
    out = out or ("i32" if integer else "fp32")
    tolerance = {"i32": 0, "fp32": 1e-4, "fp16": 1e-2, "bf16": 2e-2, "fp64": 1e-12}[out]
    if precision == "tf32":
        tolerance = 5e-3
    label = "-".join([f"{key}{value}" for key, value in options.items()])
    return case(f"matmul-{type}-{precision}-{m}x{n}x{k}-{bm}x{bn}x{bk}-{label}", kernels.matmul, [cdiv(m, bm) * cdiv(n, bn)],
                dict(a=a, b=b, c=empty(out, m, n), m=i32(m), n=i32(n), k=i32(k), stride_a=i32(k), stride_b=i32(n), stride_c=i32(n)),
                dict(BM=bm, BN=bn, BK=bk, GROUP=2, ACC=tl.int32 if integer else tl.float64 if type == "fp64" else tl.float32,
                     PRECISION=precision),
                dict(c=(expected, tolerance)), quick, chips, **options)


def matmul_blocks(type, m, n, k, block, quick=False, **options):
    a, b = encode(type, randoms(5, m, k)), encode(type, randoms(6, n, k))
    return case(f"matmul_blocks-{type}-{m}x{n}x{k}", kernels.matmul_blocks, [3],
                dict(a=a, b=b, c=empty("fp32", m, n), m=i32(m), n=i32(n), k=i32(k)), dict(BM=block, BN=block, BK=32),
                dict(c=(decode(a) @ decode(b).T, 1e-4)), quick, **options)


def matmul_split(type, out, m, n, k, split, quick=False, **options):
    a, b = encode(type, randoms(7, m, k)), encode(type, randoms(8, k, n))
    tolerance = {"fp32": 1e-4, "fp16": 2e-2, "bf16": 1e-1}[out]
    return case(f"matmul_split{split}-{type}-{out}-{m}x{n}x{k}", kernels.matmul_split, [cdiv(m, 32), cdiv(n, 32), split],
                dict(a=a, b=b, c=encode(out, numpy.zeros((m, n))), m=i32(m), n=i32(n), k=i32(k)),
                dict(SPLIT=split, BM=32, BN=32, BK=32), dict(c=(decode(a) @ decode(b), tolerance)), quick, **options)


def matmul_int4(m, n, k, quick=False, **options):
    a, numbers = encode("fp16", randoms(9, m, k)), integers(10, 0, 16, k, n)
    packed, scales = (numbers[:, ::2] | numbers[:, 1::2] << 4).astype(numpy.uint8), randoms(11, n)
    expected = decode(a) @ (numbers - 8.0) * scales
    return case(f"matmul_int4-{m}x{n}x{k}", kernels.matmul_int4, [cdiv(m, 32), n // 32],
                dict(a=a, packed=packed, scales=scales, c=empty("fp32", m, n), m=i32(m), n=i32(n), k=i32(k)),
                dict(BM=32, BN=32, BK=32), dict(c=(expected, 1e-4)), quick, **options)


def softmax(type, rows, columns, quick=False, **options):
    x = encode(type, randoms(12, rows, columns) * 8)
    e = numpy.exp(decode(x) - decode(x).max(1, keepdims=True))
    return case(f"softmax-{type}-{rows}x{columns}-{options}", kernels.softmax, [rows],
                dict(x=x, y=empty(type, rows, columns), columns=i32(columns)), dict(BLOCK=1 << (columns - 1).bit_length()),
                dict(y=(e / e.sum(1, keepdims=True), {"fp32": 1e-6, "fp16": 1e-3, "bf16": 8e-3}[type])), quick, **options)


def layer_norm(type, rows, columns, block, quick=False, **options):
    x, weight, bias = encode(type, randoms(13, rows, columns) * 3 + 1), randoms(14, columns), randoms(15, columns)
    values = decode(x)
    mean, variance = values.mean(1), values.var(1)
    expected = (values - mean[:, None]) / numpy.sqrt(variance[:, None] + 1e-5) * weight + bias
    return case(f"layer_norm-{type}-{rows}x{columns}", kernels.layer_norm, [rows],
                dict(x=x, y=empty(type, rows, columns), weight=weight, bias=bias, means=empty("fp32", rows),
                     inverses=empty("fp32", rows), columns=i32(columns), epsilon=("fp32", 1e-5)), dict(BLOCK=block),
                dict(y=(expected, {"fp32": 1e-5, "fp16": 3e-3, "bf16": 2e-2}[type]), means=(mean, 1e-5),
                     inverses=(1 / numpy.sqrt(variance + 1e-5), 1e-5)), quick, **options)


def column_sums(rows, columns, groups, quick=False, **options):
    x = randoms(16, rows, columns)
    expected = numpy.stack([x[group::groups].sum(0) for group in range(groups)])
    return case(f"column_sums-{rows}x{columns}", kernels.column_sums, [rows],
                dict(x=x, sums=empty("fp32", groups, columns), locks=numpy.zeros(2 * groups, numpy.int32), columns=i32(columns)),
                dict(GROUPS=groups, BLOCK=1 << (columns - 1).bit_length()), dict(sums=(expected, 1e-5)), quick, **options)


def attention(type, heads, length, head, bm, bn, causal, quick=False, **options):
    q, k, v = (encode(type, randoms(seed, heads, length, head)) for seed in (17, 18, 19))
    scores = decode(q) @ decode(k).transpose(0, 2, 1) / head**0.5
    if causal:
        scores = numpy.where(numpy.tri(length, dtype=bool), scores, -numpy.inf)
    p = numpy.exp(scores - scores.max(2, keepdims=True))
    expected = p / p.sum(2, keepdims=True) @ decode(v)
    label = "-".join([f"{key}{value}" for key, value in options.items()])
    return case(f"attention-{type}-{length}x{head}-{bm}x{bn}-{'causal' if causal else 'full'}-{label}", kernels.attention,
                [cdiv(length, bm), heads],
                dict(q=q, k=k, v=v, out=empty("fp32", heads, length, head), scale=("fp32", head**-0.5), length=i32(length)),
                dict(HEAD=head, BM=bm, BN=bn, CAUSAL=causal), dict(out=(expected, {"fp16": 2e-3, "bf16": 1.5e-2}[type])), quick,
                **options)


def reductions(type, rows, shape, axis, quick=False, **options):
    x = integers(20, -1000, 1000, *shape)
    x = x if type == "i32" else (x / 8).astype(numpy.float32)
    values = numpy.where(numpy.arange(shape[0])[:, None] < rows, x, 0)
    n, kind = shape[1 - axis], "i32" if type == "i32" else "fp32"
    outputs = dict(sums=(values.sum(axis), 0), most=(values.max(axis), 0), where=(values.argmax(axis), 0), least=(values.min(axis), 0),
                   bits=(numpy.bitwise_xor.reduce(values.astype(numpy.int32), axis), 0))
    return case(f"reductions-{type}-{shape}-axis{axis}", kernels.reductions, [1],
                dict(x=x, sums=empty(kind, n), most=empty(kind, n), where=empty("i32", n), least=empty(kind, n), bits=empty("i32", n),
                     rows=i32(rows)), dict(ROWS=shape[0], COLUMNS=shape[1], AXIS=axis), outputs, quick, **options)


def scans(shape, axis, quick=False, **options):
    x = randoms(21, *shape)
    recurrence, h = numpy.zeros(shape), 0
    for i in range(shape[axis]):
        at = (i, slice(None)) if axis == 0 else (slice(None), i)
        h = h * x[at] + 2 * x[at]
        recurrence[at] = h
    wide = x.astype(numpy.float64)
    backwards = numpy.flip(numpy.flip(wide, axis).cumsum(axis), axis)
    return case(f"scans-{shape}-axis{axis}", kernels.scans, [1],
                dict(x=x, **{name: empty("fp32", *shape) for name in ("sums", "products", "backwards", "recurrence")}),
                dict(ROWS=shape[0], COLUMNS=shape[1], AXIS=axis),
                dict(sums=(wide.cumsum(axis), 1e-5), products=((1 + wide * 0.01).cumprod(axis), 1e-5), backwards=(backwards, 1e-5),
                     recurrence=(recurrence, 1e-5)), quick, **options)


def sort_and_count(programs, n, bins, quick=False, **options):
    x = integers(22, 0, 100000, programs, n)
    counts = numpy.stack([numpy.bincount(row % bins, minlength=bins) for row in x])
    ascending = numpy.sort(x, 1)
    return case(f"sort-{n}", kernels.sort_and_count, [programs],
                dict(x=x, ascending=empty("i32", *x.shape), descending=empty("i32", *x.shape), counts=empty("i32", programs, bins),
                     flipped=empty("i32", *x.shape)), dict(N=n, BINS=bins),
                dict(ascending=(ascending, 0), descending=(ascending[:, ::-1], 0), counts=(counts, 0), flipped=(x[:, ::-1], 0)),
                quick, **options)


def gather_scatter(n, block, quick=False, **options):
    table, places = randoms(23, n), numpy.random.default_rng(24).permutation(n).astype(numpy.int32)
    gathered, scattered = table[places], table * 2
    i = numpy.arange(n)
    source = i // block * block + (i % block * 7 + 3) % block
    inside = numpy.where(source < n, gathered[numpy.minimum(source, n - 1)], numpy.nan)  # past n: whatever the load left
    return case(f"gather_scatter-{n}", kernels.gather_scatter, [cdiv(n, block)],
                dict(table=table, places=places, gathered=empty("fp32", n), scattered=empty("fp32", n), inside=empty("fp32", n), n=i32(n)),
                dict(BLOCK=block), dict(gathered=(gathered, 0), scattered=(scattered, 0), inside=(inside, 0)), quick, **options)


def atomics(n, block, quick=False, **options):
    # None negative: Triton 3.6.0 joins a wave's lanes that meet at one word with v_max_u32 before a signed global_atomic_smax.
    x = integers(25, 0, 2**31 - 1, n)
    words = integers(26, 0, 1000, 7)
    first = int(words[6])
    fold = numpy.array([words[0] + x.sum(dtype=numpy.int32), max(words[1], x.max()), min(words[2], x.min()),
                        words[3] & numpy.bitwise_and.reduce(x | 255), words[4] | numpy.bitwise_or.reduce(x & 0xFF00),
                        words[5] ^ numpy.bitwise_xor.reduce(x), words[6] + n]).astype(numpy.int32)
    floats = numpy.array([x.max(), x.min()]).astype(numpy.float32)
    return case(f"atomics-{n}", kernels.atomics, [cdiv(n, block)],
                dict(x=x, words=words, f=numpy.array([0, 3e9], numpy.float32), olds=empty("i32", n), n=i32(n)), dict(BLOCK=block),
                dict(words=(fold, 0), f=(floats, 0), olds=(lambda got: numpy.sort(got) - first - numpy.arange(n), 0)), quick, **options)


def functions(n, quick=False, **options):
    from math import erf
    x = randoms(27, n) * 5
    v, a = x.astype(numpy.float64), numpy.abs(x.astype(numpy.float64)) + 0.001
    expected = numpy.stack([numpy.exp(v), numpy.log(a), numpy.sin(v), numpy.cos(numpy.float32(1000) * x), [erf(value) for value in v],
                            a**-0.5, numpy.tanh(v), a**v, numpy.arctan2(v, a), 1 / (1 + numpy.exp(-v)), a**0.5, v / a])
    return case(f"functions-{n}", kernels.functions, [1], dict(x=x, out=empty("fp32", 12, n), n=i32(n)),
                dict(BLOCK=1 << (n - 1).bit_length()), dict(out=(expected, 2e-5)), quick, **options)


def philox(seed, counters):
    """Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011: Philox 4x32, ten rounds; the first word."""
    c = [counters.astype(numpy.uint64)] + [numpy.zeros_like(counters, dtype=numpy.uint64)] * 3
    k0, k1 = seed & 0xFFFFFFFF, seed >> 32
    low = numpy.uint64(0xFFFFFFFF)
    for _ in range(10):
        p0, p1 = c[0] * numpy.uint64(0xD2511F53), c[2] * numpy.uint64(0xCD9E8D57)
        shift = numpy.uint64(32)
        c = [p1 >> shift ^ c[1] ^ numpy.uint64(k0), p1 & low, p0 >> shift ^ c[3] ^ numpy.uint64(k1), p0 & low]
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return c[0].astype(numpy.uint32)


def dropout(n, block, quick=False, **options):
    x, seed, p = randoms(28, n), 1234567, 0.3
    numbers = philox(seed, numpy.arange(n)).view(numpy.int32)
    unit = numpy.where(numbers < 0, -numbers.astype(numpy.int64) - 1, numbers) * 4.6566127342e-10
    expected = numpy.stack([numpy.where(unit > p, x / (1 - p), 0), numbers.view(numpy.uint32)])
    return case(f"dropout-{n}", kernels.dropout, [cdiv(n, block)],
                dict(x=x, y=empty("fp32", 2, n), seed=i32(seed), p=("fp32", p), n=i32(n)), dict(BLOCK=block),
                dict(y=(expected, 1e-6)), quick, **options)


def transpose_and_join(rows, columns, quick=False, **options):
    x = randoms(29, rows, columns)
    return case(f"transpose-{rows}x{columns}", kernels.transpose_and_join, [1],
                dict(x=x, y=empty("fp32", columns, rows), z=empty("fp32", rows, columns)), dict(ROWS=rows, COLUMNS=columns),
                dict(y=(x.T, 0), z=(x * 9, 1e-6)), quick, **options)


def convert(n, quick=False, **options):
    x = randoms(30, n) * 120
    return case(f"convert-{n}", kernels.convert, [1],
                dict(x=x, bf16=empty("bf16", n), i8=empty("i8", n), i64=empty("i64", n), f64=empty("fp64", n), n=i32(n)),
                dict(BLOCK=1 << (n - 1).bit_length()),
                dict(bf16=(x, 4e-3), i8=(numpy.trunc(x), 0), i64=(numpy.trunc(numpy.trunc(x * numpy.float32(1000)) / 7), 0),
                     f64=(x.astype(numpy.float64) / 3, 1e-15)), quick, **options)


def all_cases():
    yield vector_add("fp32", 1000, 256, quick=True)
    for type in ("fp16", "bf16", "fp64", "i8", "i16", "i32", "i64"):
        yield vector_add(type, 777, 512)
    yield matmul("fp16", 100, 70, 96, 64, 64, 32, quick=True, num_warps=4, matrix_instr_nonkdim=16)
    yield matmul("fp16", 128, 128, 128, 64, 64, 32, quick=True, num_warps=8, num_stages=2, matrix_instr_nonkdim=32, kpack=2)
    yield matmul("bf16", 100, 70, 96, 32, 64, 32, quick=True, num_warps=1, waves_per_eu=2)
    yield matmul("i8", 64, 100, 128, 64, 64, 64, quick=True, num_warps=4, matrix_instr_nonkdim=16)
    yield matmul("fp8e4b8", 64, 70, 128, 64, 64, 64, quick=True, chips=("gfx942",), num_warps=4)
    yield matmul("fp8e5b16", 64, 70, 128, 64, 64, 64, chips=("gfx942",), num_warps=4, matrix_instr_nonkdim=32)
    yield matmul("fp8e5", 64, 70, 128, 64, 64, 64, num_warps=4)
    yield matmul("fp32", 70, 50, 64, 32, 32, 32, quick=True, num_warps=4)
    yield matmul("fp32", 70, 50, 64, 32, 32, 32, chips=("gfx942",), precision="tf32", num_warps=4)
    yield matmul("fp64", 40, 50, 64, 32, 32, 16, num_warps=4)
    for type in ("fp16", "bf16", "i8"):
        for warps in (1, 4, 8):
            for stages in (1, 2, 3):
                for nonkdim in (16, 32):
                    yield matmul(type, 97, 80, 128, 64, 64, 32, num_warps=warps, num_stages=stages, matrix_instr_nonkdim=nonkdim,
                                 waves_per_eu=warps // 4)
    yield matmul("fp16", 256, 256, 64, 128, 128, 32, out="fp16", num_warps=8, num_stages=2, kpack=2)
    yield matmul("bf16", 130, 256, 96, 128, 256, 32, out="bf16", num_warps=8, num_stages=3)
    yield matmul("fp16", 16, 33, 512, 16, 16, 128, num_warps=1, num_stages=1)
    yield matmul_blocks("fp16", 100, 90, 70, 32, quick=True, num_warps=4)
    yield matmul_blocks("bf16", 64, 64, 128, 64, num_warps=8)
    yield matmul_split("fp16", "fp32", 64, 50, 300, 3, quick=True, num_warps=4)
    yield matmul_split("fp16", "fp16", 32, 64, 128, 2, num_warps=4)
    yield matmul_split("bf16", "bf16", 32, 64, 128, 2, num_warps=4, chips=("gfx942",))
    yield matmul_int4(50, 64, 96, quick=True, num_warps=4)
    yield softmax("fp32", 3, 781, quick=True, num_warps=4)
    yield softmax("fp16", 2, 100, num_warps=1)
    yield softmax("bf16", 2, 2000, num_warps=8)
    yield layer_norm("fp16", 3, 700, 256, quick=True, num_warps=4)
    yield layer_norm("fp32", 2, 1024, 1024, num_warps=8)
    yield layer_norm("bf16", 2, 65, 64, num_warps=1)
    # As many columns as work-items: with fewer, Triton lets several waves load the same value, of which one stores the sum.
    yield column_sums(9, 250, 2, quick=True, num_warps=4)
    yield attention("fp16", 2, 100, 64, 64, 32, True, quick=True, num_warps=4)
    yield attention("bf16", 1, 130, 64, 64, 64, False, quick=True, num_warps=4, num_stages=1)
    for head, warps, nonkdim in ((32, 1, 16), (64, 8, 32), (128, 4, 32), (128, 4, 16)):
        for causal in (False, True):
            yield attention("fp16", 1, 97, head, 64, 32, causal, num_warps=warps, matrix_instr_nonkdim=nonkdim, num_stages=2)
    yield reductions("i32", 30, (32, 128), 0, quick=True)
    yield reductions("fp32", 61, (64, 64), 1)
    yield reductions("fp32", 5, (8, 512), 1, num_warps=8)
    yield scans((8, 256), 1, quick=True)
    yield scans((64, 16), 0)
    yield scans((2, 1024), 1, num_warps=8)
    yield sort_and_count(2, 256, 32, quick=True)
    yield sort_and_count(1, 64, 16, num_warps=1)
    yield gather_scatter(500, 256, quick=True)
    yield atomics(700, 256, quick=True)
    yield functions(1000, quick=True)
    yield dropout(1000, 256, quick=True)
    yield transpose_and_join(32, 64)
    yield transpose_and_join(64, 64, quick=True)
    yield convert(500, quick=True)
