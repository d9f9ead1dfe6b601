"""Kernels in Triton that do what nstfc's do, as its tutorials teach to write them."""
import triton
import triton.language as tl


@triton.jit
def matmul(x, w, y, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, XCDS: tl.constexpr,
           EVEN_K: tl.constexpr, SUM: tl.constexpr):
    """y = x w^T. Tiles in groups of rows, a run of consecutive ones on each of the chip's dies."""
    program, tiles_m, tiles_n = tl.program_id(0), tl.cdiv(m, BM), tl.cdiv(n, BN)
    if XCDS > 1:
        tiles = tiles_m * tiles_n
        share = tl.cdiv(tiles, XCDS)
        full = tiles - (share - 1) * XCDS  # dies that have so many
        program = program % XCDS * share + program // XCDS - tl.maximum(program % XCDS - full, 0)
    first = program // (GROUP * tiles_n) * GROUP
    size = min(tiles_m - first, GROUP)
    m0, n0 = (first + program % (GROUP * tiles_n) % size) * BM, program % (GROUP * tiles_n) // size * BN
    rows, columns, depth = (m0 + tl.arange(0, BM)) % m, (n0 + tl.arange(0, BN)) % n, tl.arange(0, BK)
    at_x = x + rows[:, None] * k + depth[None, :]
    at_w = w + columns[None, :] * k + depth[:, None]
    sums = tl.zeros((BM, BN), dtype=SUM)
    for step in range(0, tl.cdiv(k, BK)):
        if EVEN_K:
            a, b = tl.load(at_x), tl.load(at_w)
        else:
            a = tl.load(at_x, mask=depth[None, :] < k - step * BK, other=0.0)
            b = tl.load(at_w, mask=depth[:, None] < k - step * BK, other=0.0)
        sums = tl.dot(a, b, sums, input_precision="ieee", out_dtype=SUM)
        at_x += BK
        at_w += BK
    rows, columns = m0 + tl.arange(0, BM), n0 + tl.arange(0, BN)
    tl.store(y + rows[:, None] * n + columns[None, :], sums.to(y.dtype.element_ty),
             mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def keys(queries, most, total, result, at_k, at_v, first, end, rows, scale, kv_row, BN: tl.constexpr, MASKED: tl.constexpr):
    for start in range(first, end, BN):
        scores = tl.dot(queries, tl.load(at_k + start * kv_row)) * scale
        if MASKED:
            scores = tl.where(rows[:, None] >= (start + tl.arange(0, BN))[None, :], scores, -1.0e6)
        most_now = tl.maximum(most, tl.max(scores, 1))
        p = tl.math.exp2(scores - most_now[:, None])
        alpha = tl.math.exp2(most - most_now)
        total = total * alpha + tl.sum(p, 1)
        values = tl.load(at_v + start * kv_row)
        result = tl.dot(p.to(values.dtype), values, result * alpha[:, None])
        most = most_now
    return most, total, result


@triton.jit
def attention(q, k, v, y, scale, q_row, kv_row, SHARED: tl.constexpr, HEAD: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Causal flash attention, rows a multiple of BM: a mask on the blocks at the diagonal only, the longest rows first."""
    head, block = tl.program_id(0), tl.num_programs(1) - 1 - tl.program_id(1)
    rows, d = block * BM + tl.arange(0, BM), tl.arange(0, HEAD)
    at_q = head * HEAD + rows[:, None] * q_row + d[None, :]
    queries = tl.load(q + at_q)
    at_k = k + head // SHARED * HEAD + tl.arange(0, BN)[None, :] * kv_row + d[:, None]
    at_v = v + head // SHARED * HEAD + tl.arange(0, BN)[:, None] * kv_row + d[None, :]
    most = tl.full([BM], -float("inf"), dtype=tl.float32)
    total = tl.zeros([BM], dtype=tl.float32)
    result = tl.zeros([BM, HEAD], dtype=tl.float32)
    most, total, result = keys(queries, most, total, result, at_k, at_v, 0, block * BM, rows, scale, kv_row, BN, False)
    most, total, result = keys(queries, most, total, result, at_k, at_v, block * BM, (block + 1) * BM, rows, scale, kv_row, BN, True)
    tl.store(y + at_q, (result / total[:, None]).to(y.dtype.element_ty))
