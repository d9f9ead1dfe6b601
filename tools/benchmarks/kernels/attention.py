"""What the machine code of attention holds, beside what `structure` finds of any kernel: a round of a loop is the way through it
(`loops`), a block is 32 keys."""

import re

from benchmarks import launches
from benchmarks.kernels import loops
from benchmarks.kernels.cases import BYTES

KEYS = 32          # of a block
MEMORY = 1 << 29   # bytes of buffers beyond which no launch is run whole


def _of_way(way, matrix_clocks, kernel, case, chip):
    """`matrix_clocks`: of the way."""
    waves, scores = kernel.threads / 64, kernel.parameters["BQ"] * KEYS
    blocks = matrix_clocks * waves / (2 * scores * case.head_size / chip.products_a_clock(case.product_type))
    kib = KEYS * 2 * case.head_size * BYTES[case.kv_type or case.type] / 1024
    vector, exp = (sum(getattr(instruction, kind) for instruction in way) for kind in ("is_vector", "is_exp"))
    texts = [instruction.text for instruction in way]
    counts = [int(count) for text in texts for count in re.findall(r"^s_waitcnt.*vmcnt\((\d+)\)", text)]
    return {"vector_a_score": (vector - exp) / exp if exp else None,
            "exp_a_score": exp / (blocks * scores / kernel.threads),
            "barriers_a_block": texts.count("s_barrier") / blocks,
            "lds_accesses": sum(text.startswith("ds_") for text in texts),
            "least_vmcnt": min(counts, default=None),
            "vector_a_kib": vector * waves / (blocks * kib)}, blocks


def _rescaled_share(build, kernel, found, chip, folder):
    """Of the blocks of the first workgroup on random numbers, those for which a wave leaves the way of its loop for an exp: the
    factor of what it summed up before a row's reference moved. None where no loop has such a place."""
    launch = launches.write_launch(kernel, folder / "random.yaml", groups=1, random=True)
    prediction = launches.emulate(build, launch, f"--timing={chip.name}", f"--clock={chip.clock_mhz}")["predictions"][0]
    issued = {instruction["offset"]: instruction["issued"] for instruction in prediction["instructions"]}
    blocks, rescaled = 0, []
    for loop in found:
        blocks += issued.get(loop.way[0].offset, 0)
        rescaled += [issued.get(instruction.offset, 0) for instruction in loop.aside if instruction.is_exp][:1]
    return sum(rescaled) / blocks if rescaled and blocks else None


def of(build, kernel, case, chip, folder, listed, first):
    """Metrics by name; `listed`: the loops with products of `nstf-emu disasm --loops`, the one that is judged first; `first`: a
    report of the first workgroup. Throws launches.Failed."""
    instructions = loops.read(launches.disassembly(build, kernel))
    found = [loops.loop_around(instructions, loop["begin"]) for loop in listed]
    metrics = {"workgroups": kernel.workgroups}
    if found and found[0]:
        way = found[0].way
        products = sum(instruction.is_matrix for instruction in way)
        of_way, blocks = _of_way(way, products * listed[0]["matrix_clocks"] / listed[0]["matrix_instructions"], kernel, case, chip)
        run = first["instructions"]["by_class"]["matrix"] / products * blocks / (kernel.threads / 64)
        metrics |= of_way | {"conflict_clocks_a_block": sum(first["lds"]["conflict_clocks"].values()) / run if run else None}
    if sum(kernel.buffers.values()) < MEMORY:
        if case.cold:
            report = launches.emulate(build, launches.write_launch(kernel, folder / "whole.yaml"))
            metrics["loaded"] = report["bytes"]["global"]["loaded"] / case.cache_bytes
        else:
            metrics["rescaled_share"] = _rescaled_share(build, kernel, [loop for loop in found if loop], chip, folder)
    return metrics
