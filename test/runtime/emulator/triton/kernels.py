"""Kernels in Triton, as its users write them. `cases.py` launches them."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def add(a, b, c, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(c + i, tl.load(a + i, mask=mask) + tl.load(b + i, mask=mask), mask=mask)


@triton.jit
def matmul(a, b, c, m, n, k, stride_a, stride_b, stride_c, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           GROUP: tl.constexpr, ACC: tl.constexpr, PRECISION: tl.constexpr):
    """C = A B, tiles in groups of rows that share B's columns in the cache."""
    pid = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(m, BM), tl.cdiv(n, BN)
    group = pid // (GROUP * tiles_n)
    first = group * GROUP
    size = min(tiles_m - first, GROUP)
    pid_m, pid_n = first + pid % (GROUP * tiles_n) % size, pid % (GROUP * tiles_n) // size
    rows, columns, depth = pid_m * BM + tl.arange(0, BM), pid_n * BN + tl.arange(0, BN), tl.arange(0, BK)
    at_a = a + rows[:, None] * stride_a + depth[None, :]
    at_b = b + depth[:, None] * stride_b + columns[None, :]
    sums = tl.zeros((BM, BN), dtype=ACC)
    for step in range(0, tl.cdiv(k, BK)):
        left = k - step * BK
        x = tl.load(at_a, mask=(rows[:, None] < m) & (depth[None, :] < left), other=0.0)
        y = tl.load(at_b, mask=(depth[:, None] < left) & (columns[None, :] < n), other=0.0)
        sums = tl.dot(x, y, sums, input_precision=PRECISION, out_dtype=ACC)
        at_a += BK
        at_b += BK * stride_b
    at_c = c + rows[:, None] * stride_c + columns[None, :]
    tl.store(at_c, sums.to(c.dtype.element_ty), mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def matmul_blocks(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The same by block pointers, B stored transposed; one program for all tiles (persistent)."""
    for tile in range(tl.program_id(0), tl.cdiv(m, BM) * tl.cdiv(n, BN), tl.num_programs(0)):
        tile_m, tile_n = tile // tl.cdiv(n, BN), tile % tl.cdiv(n, BN)
        at_a = tl.make_block_ptr(a, (m, k), (k, 1), (tile_m * BM, 0), (BM, BK), (1, 0))
        at_b = tl.make_block_ptr(b, (k, n), (1, k), (0, tile_n * BN), (BK, BN), (0, 1))
        sums = tl.zeros((BM, BN), dtype=tl.float32)
        for _ in range(0, k, BK):
            x = tl.load(at_a, boundary_check=(0, 1), padding_option="zero")
            y = tl.load(at_b, boundary_check=(0, 1), padding_option="zero")
            sums = tl.dot(x, y, sums)
            at_a, at_b = tl.advance(at_a, (0, BK)), tl.advance(at_b, (BK, 0))
        at_c = tl.make_block_ptr(c, (m, n), (n, 1), (tile_m * BM, tile_n * BN), (BM, BN), (1, 0))
        tl.store(at_c, sums.to(c.dtype.element_ty), boundary_check=(0, 1))


@triton.jit
def matmul_split(a, b, c, m, n, k, SPLIT: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Split-K: each program sums a part of k and adds it to C atomically."""
    rows, columns = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.program_id(2) * BK + tl.arange(0, BK)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(k, BK * SPLIT)):
        x = tl.load(a + rows[:, None] * k + depth[None, :], mask=(rows[:, None] < m) & (depth[None, :] < k), other=0.0)
        y = tl.load(b + depth[:, None] * n + columns[None, :], mask=(depth[:, None] < k) & (columns[None, :] < n), other=0.0)
        sums = tl.dot(x, y, sums)
        depth += BK * SPLIT
    mask = (rows[:, None] < m) & (columns[None, :] < n)
    tl.atomic_add(c + rows[:, None] * n + columns[None, :], sums.to(c.dtype.element_ty), mask=mask, sem="relaxed")


@triton.jit
def matmul_int4(a, packed, scales, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """A in f16, B as two 4-bit numbers a byte along n, with a scale for each column."""
    rows, columns = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    halves, depth = tl.program_id(1) * (BN // 2) + tl.arange(0, BN // 2), tl.arange(0, BK)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, k, BK):
        x = tl.load(a + rows[:, None] * k + (step + depth)[None, :], mask=rows[:, None] < m, other=0.0)
        bytes = tl.load(packed + (step + depth)[:, None] * (n // 2) + halves[None, :])
        low, high = (bytes & 15).to(tl.int8) - 8, (bytes >> 4).to(tl.int8) - 8
        y = tl.join(low, high).reshape(BK, BN).to(tl.float16)
        sums = tl.dot(x, y, sums)
    sums *= tl.load(scales + columns)[None, :]
    tl.store(c + rows[:, None] * n + columns[None, :], sums, mask=rows[:, None] < m)


@triton.jit
def softmax(x, y, columns, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf")).to(tl.float32)
    values = tl.exp(values - tl.max(values, axis=0))
    tl.store(y + row * columns + i, (values / tl.sum(values, axis=0)).to(y.dtype.element_ty), mask=i < columns)


@triton.jit
def layer_norm(x, y, weight, bias, means, inverses, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * columns
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x + i, mask=i < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / columns
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        d = tl.where(i < columns, tl.load(x + i, mask=i < columns, other=0.0).to(tl.float32) - mean, 0.0)
        total += d * d
    inverse = 1 / tl.sqrt(tl.sum(total, axis=0) / columns + epsilon)
    tl.store(means + row, mean)
    tl.store(inverses + row, inverse)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        mask = i < columns
        value = (tl.load(x + i, mask=mask, other=0.0).to(tl.float32) - mean) * inverse
        value = value * tl.load(weight + i, mask=mask) + tl.load(bias + i, mask=mask)
        tl.store(y + row * columns + i, value.to(y.dtype.element_ty), mask=mask)


@triton.jit
def column_sums(x, sums, locks, columns, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    """Each program adds its row to one of GROUPS rows, under a spin lock; the first one stores (layer norm's backward)."""
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    group = row % GROUPS
    values = tl.load(x + row * columns + i, mask=i < columns, other=0.0)
    lock, first = locks + group, locks + GROUPS + group
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    seen = tl.load(first)
    tl.debug_barrier()  # all waves have read it
    if seen == 0:
        tl.atomic_xchg(first, 1)
    else:
        values += tl.load(sums + group * columns + i, mask=i < columns, other=0.0)
    tl.store(sums + group * columns + i, values, mask=i < columns)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def attention(q, k, v, out, scale, length, HEAD: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """Flash attention forward: one program for BM queries of one head."""
    block, head = tl.program_id(0), tl.program_id(1)
    base = head * length * HEAD
    rows, d = block * BM + tl.arange(0, BM), tl.arange(0, HEAD)
    queries = tl.load(q + base + rows[:, None] * HEAD + d[None, :], mask=rows[:, None] < length, other=0.0)
    most = tl.full([BM], -float("inf"), dtype=tl.float32)
    total = tl.zeros([BM], dtype=tl.float32)
    result = tl.zeros([BM, HEAD], dtype=tl.float32)
    end = min((block + 1) * BM, length) if CAUSAL else length
    for start in range(0, end, BN):
        keys = start + tl.arange(0, BN)
        kt = tl.load(k + base + keys[None, :] * HEAD + d[:, None], mask=keys[None, :] < length, other=0.0)
        scores = tl.dot(queries, kt) * (scale * 1.44269504)
        seen = keys[None, :] < length
        if CAUSAL:
            seen = seen & (rows[:, None] >= keys[None, :])
        scores = tl.where(seen, scores, -1.0e6)
        most_now = tl.maximum(most, tl.max(scores, 1))
        p = tl.math.exp2(scores - most_now[:, None])
        alpha = tl.math.exp2(most - most_now)
        total = total * alpha + tl.sum(p, 1)
        values = tl.load(v + base + keys[:, None] * HEAD + d[None, :], mask=keys[:, None] < length, other=0.0)
        result = tl.dot(p.to(values.dtype), values, result * alpha[:, None])
        most = most_now
    result /= total[:, None]
    tl.store(out + base + rows[:, None] * HEAD + d[None, :], result.to(out.dtype.element_ty), mask=rows[:, None] < length)


@triton.jit
def reductions(x, sums, most, where, least, bits, rows, ROWS: tl.constexpr, COLUMNS: tl.constexpr, AXIS: tl.constexpr):
    r, c = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    o = tl.arange(0, COLUMNS if AXIS == 0 else ROWS)
    values = tl.load(x + r[:, None] * COLUMNS + c[None, :], mask=r[:, None] < rows, other=0)
    tl.store(sums + o, tl.sum(values, AXIS))
    tl.store(most + o, tl.max(values, AXIS))
    tl.store(where + o, tl.argmax(values, AXIS))
    tl.store(least + o, tl.min(values, AXIS))
    tl.store(bits + o, tl.xor_sum(values.to(tl.int32), AXIS))


@triton.jit
def linear_step(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def scans(x, sums, products, backwards, recurrence, ROWS: tl.constexpr, COLUMNS: tl.constexpr, AXIS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    values = tl.load(x + at)
    tl.store(sums + at, tl.cumsum(values, AXIS))
    tl.store(products + at, tl.cumprod(1 + values * 0.01, AXIS))
    tl.store(backwards + at, tl.cumsum(values, AXIS, reverse=True))
    _, h = tl.associative_scan((values, values * 2), AXIS, linear_step)  # h = h * x + 2 x
    tl.store(recurrence + at, h)


@triton.jit
def sort_and_count(x, ascending, descending, counts, flipped, N: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, N)
    values = tl.load(x + tl.program_id(0) * N + i)
    tl.store(ascending + tl.program_id(0) * N + i, tl.sort(values))
    tl.store(descending + tl.program_id(0) * N + i, tl.sort(values, descending=True))
    tl.store(counts + tl.program_id(0) * BINS + tl.arange(0, BINS), tl.histogram(values % BINS, BINS))
    tl.store(flipped + tl.program_id(0) * N + i, tl.flip(values, 0))


@triton.jit
def gather_scatter(table, places, gathered, scattered, inside, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    place = tl.load(places + i, mask=i < n, other=0)
    value = tl.load(table + place, mask=i < n)
    tl.store(gathered + i, value, mask=i < n)
    tl.store(scattered + place, value * 2, mask=i < n)
    tl.store(inside + i, tl.gather(value, (tl.arange(0, BLOCK) * 7 + 3) % BLOCK, 0), mask=i < n)


@triton.jit
def atomics(x, words, f, olds, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    value = tl.load(x + i, mask=mask)
    tl.atomic_add(words + 0 * i, value, mask=mask)
    tl.atomic_max(words + 1 + 0 * i, value, mask=mask)
    tl.atomic_min(words + 2 + 0 * i, value, mask=mask)
    tl.atomic_and(words + 3 + 0 * i, value | 255, mask=mask)
    tl.atomic_or(words + 4 + 0 * i, value & 0xff00, mask=mask)
    tl.atomic_xor(words + 5 + 0 * i, value, mask=mask)
    tl.atomic_max(f + 0 * i, value.to(tl.float32), mask=mask)
    tl.atomic_min(f + 1 + 0 * i, value.to(tl.float32), mask=mask)
    tl.store(olds + i, tl.atomic_add(words + 6 + 0 * i, 1, mask=mask), mask=mask)


@triton.jit
def functions(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    a = tl.abs(v) + 0.001
    tl.store(out + i, tl.exp(v), mask=i < n)
    tl.store(out + n + i, tl.log(a), mask=i < n)
    tl.store(out + 2 * n + i, tl.sin(v), mask=i < n)
    tl.store(out + 3 * n + i, tl.cos(v * 1000), mask=i < n)
    tl.store(out + 4 * n + i, tl.erf(v), mask=i < n)
    tl.store(out + 5 * n + i, tl.rsqrt(a), mask=i < n)
    tl.store(out + 6 * n + i, libdevice.tanh(v), mask=i < n)
    tl.store(out + 7 * n + i, libdevice.pow(a, v), mask=i < n)
    tl.store(out + 8 * n + i, libdevice.atan2(v, a), mask=i < n)
    tl.store(out + 9 * n + i, tl.sigmoid(v), mask=i < n)
    tl.store(out + 10 * n + i, tl.sqrt_rn(a), mask=i < n)
    tl.store(out + 11 * n + i, tl.div_rn(v, a), mask=i < n)


@triton.jit
def dropout(x, y, seed, p, n, BLOCK: tl.constexpr):
    """Philox numbers decide what is kept; the first of four is stored too."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    number, _, _, _ = tl.randint4x(seed, i)
    kept = tl.rand(seed, i) > p
    value = tl.load(x + i, mask=i < n, other=0)
    tl.store(y + i, tl.where(kept, value / (1 - p), 0.0), mask=i < n)
    tl.store(y + n + i, number.to(tl.float32), mask=i < n)


@triton.jit
def transpose_and_join(x, y, z, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    r, c = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    values = tl.load(x + r[:, None] * COLUMNS + c[None, :])
    tl.store(y + c[:, None] * ROWS + r[None, :], tl.trans(values))
    both = tl.interleave(values, -values)
    even, odd = tl.split(tl.reshape(both, (ROWS, COLUMNS, 2)))
    tl.store(z + r[:, None] * COLUMNS + c[None, :], even * 10 + odd)


@triton.jit
def convert(x, bf16, i8, i64, f64, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(bf16 + i, v.to(tl.bfloat16), mask=i < n)
    tl.store(i8 + i, v.to(tl.int8), mask=i < n)
    tl.store(i64 + i, (v * 1000).to(tl.int64) // 7, mask=i < n)
    tl.store(f64 + i, v.to(tl.float64) / 3, mask=i < n)
