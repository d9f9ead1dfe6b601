"""Triton's kernel for a case: its usual configurations, the fastest by predicted time."""

import dataclasses
import math

from benchmarks import launches
from benchmarks.kernels import prediction
from benchmarks.triton import peer

POINTERS = {"f32": "*fp32", "f16": "*fp16", "bf16": "*bf16", "i8": "*i8", "e4m3fnuz": "*fp8e4b8"}
# (BM, BN, BK in 2-byte elements, warps, further options); Triton's tutorials and AMD's tuning guides have such.
LARGE = [(256, 256, 64, 8, {}), (256, 128, 64, 8, {"kpack": 2}), (128, 256, 64, 8, {"kpack": 2}), (128, 128, 64, 4, {"kpack": 2}),
         (128, 128, 32, 4, {"kpack": 2})]
SMALL = [(128, 128, 64, 8, {}), (128, 64, 64, 4, {}), (64, 64, 64, 4, {}), (64, 32, 64, 4, {}), (32, 32, 64, 4, {})]
FEW_ROWS = [(16, 32, 256, 4, {}), (16, 64, 128, 4, {}), (16, 64, 256, 4, {}), (16, 128, 128, 8, {}), (16, 16, 512, 4, {})]
ATTENTION = [(128, 64, 4, 2), (128, 64, 8, 1), (128, 32, 4, 2)]  # BM, BN, warps, stages
LONG_K, PLACE_OF_K = 2048, 5  # among the arguments of a product


def _products(case, chip):
    size = case.bytes_an_element
    result, result_bytes, sums = {"i8": ("*i32", 4, "int32")}.get(case.type, (POINTERS[case.type], size, "float32"))
    if case.type == "e4m3fnuz":
        result, result_bytes = "*fp32", 4
    arguments = [("x", POINTERS[case.type], case.m * case.k * size), ("w", POINTERS[case.type], case.n * case.k * size),
                 ("y", result, case.m * case.n * result_bytes),
                 *((name, "i32", getattr(case, name)) for name in ("m", "n", "k"))]
    configurations = FEW_ROWS if case.m <= 16 else LARGE if case.m * case.n >= 2048 * 2048 else SMALL
    for bm, bn, bk, warps, options in configurations:
        depth = bk * 2 // size
        constants = {"BM": bm, "BN": bn, "BK": depth, "GROUP": 4, "XCDS": 8 if chip.name == "mi300x" else 1,
                     "EVEN_K": case.k % depth == 0, "SUM": sums}
        yield peer.Candidate("matmul", [-(-case.m // bm) * -(-case.n // bn), 1, 1], arguments, constants,
                             {"num_warps": warps, "num_stages": 2, "matrix_instr_nonkdim": 16, **options})


def _attention(case):
    pointer, size = POINTERS[case.type], case.m * case.head_size * case.bytes_an_element
    rows = [case.heads * case.head_size, case.kv_heads * case.head_size]
    arguments = [("q", pointer, case.heads * size), ("k", pointer, case.kv_heads * size), ("v", pointer, case.kv_heads * size),
                 ("y", pointer, case.heads * size), ("scale", "fp32", math.log2(math.e) / case.head_size ** 0.5),
                 ("q_row", "i32", rows[0]), ("kv_row", "i32", rows[1])]
    for bm, bn, warps, stages in ATTENTION:
        yield peer.Candidate("attention", [case.heads, case.m // bm, 1], arguments,
                             {"SHARED": case.heads // case.kv_heads, "HEAD": case.head_size, "BM": bm, "BN": bn},
                             {"num_warps": warps, "num_stages": stages, "matrix_instr_nonkdim": 16})


def _estimate(build, kernel, case, chip, folder):
    """Microseconds. Of a long K from an eighth and a quarter of it: predicting a product as a whole takes ten times as long."""
    if case.k < LONG_K:
        return prediction.microseconds(build, kernel, chip, folder, case.launches)
    times = []
    for part in (case.k // 8, case.k // 4):
        arguments = [{"i32": part} if i == PLACE_OF_K else argument for i, argument in enumerate(kernel.arguments)]
        times.append(prediction.microseconds(build, dataclasses.replace(kernel, arguments=arguments), chip, folder,
                                             case.launches))
    return times[1] + 6 * (times[1] - times[0])


def best(build, case, chip, folder):
    """Microseconds and the configuration; throws launches.Failed where there is none, peer.Unavailable."""
    if case.context:
        raise launches.Failed("Triton's tutorials have no attention over a cache")
    candidates = list(_attention(case) if case.heads else _products(case, chip))
    estimates, reasons = [], []
    for candidate, kernel in zip(candidates, peer.compile(peer.FOLDER / "kernels.py", candidates, chip.target, folder)):
        try:
            if isinstance(kernel, str):
                raise launches.Failed(kernel)
            estimates.append((_estimate(build, kernel, case, chip, folder), candidate.label, kernel))
        except launches.Failed as error:
            reasons.append(f"{candidate.label}: {error}")
    if not estimates:
        raise launches.Failed("; ".join(reasons))
    time, label, kernel = min(estimates, key=lambda estimate: estimate[0])
    return time if case.k < LONG_K else prediction.microseconds(build, kernel, chip, folder, case.launches), label
