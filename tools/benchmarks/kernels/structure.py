"""What the machine code of a kernel holds, which needs no clock: loops by `nstf-emu disasm --loops`, registers by `nstf-emu
list`, what an untimed run of it moves."""

from benchmarks import launches
from benchmarks.kernels import attention

# Of a launch that is run whole for what its edges load; larger ones are judged by their first workgroup.
MATRIX_INSTRUCTIONS = 10_000_000


def loops(build, kernel):
    """The text of `nstf-emu disasm --loops`: of each loop its instructions by kind and width, and each wait with its cover."""
    return launches.disassembly(build, kernel, "--loops").split("\n", 2)[2].rstrip()


def _of_loop(loop, kernel, case, chip, waves):
    """`waves`: of a SIMD."""
    kinds, widths = loop["kinds"], loop["widths"]
    accesses = {kind: kinds.get(kind, 0) for kind in ("lds_read", "lds_write")}
    wide = sum(widths.get(kind, {}).get("b128", 0) for kind in accesses)
    found = {
        "issue": loop["issue"],
        "accumulator_moves": loop["accumulator_moves"],
        "waits_to_zero": loop["waits_to_zero"],
        "nop_clocks": loop["nop_clocks"],
        "lds_16_byte_share": wide / sum(accesses.values()) if sum(accesses.values()) else None,
        "load_cover": None if loop["min_load_cover"] is None else loop["min_load_cover"] * waves,
        "lds_cover": None if loop["min_lds_cover"] is None else loop["min_lds_cover"] * waves,
    }
    sides = [kernel.parameters.get(side) for side in ("BM", "BN", "BK")]
    if all(sides):
        # Each wave of a workgroup makes its part of a block's products.
        block_clocks = sides[0] * sides[1] * sides[2] / (kernel.threads / 64) / chip.products_a_clock(case.product_type)
        blocks = loop["matrix_clocks"] / block_clocks
        found["blocks"] = blocks
        found["vector_a_block"] = (kinds.get("vector", 0) + kinds.get("transcendental", 0)) / blocks
        found["barriers_a_block"] = kinds.get("barrier", 0) / blocks
    return found


def _with_products(build, kernel):
    """The loops that multiply: the one with the most products first, of several the one with the fewest vector instructions,
    so that no mask is in it."""
    listed = launches.listing(build, "disasm", kernel.code_object, "--loops=json")["loops"]
    return sorted((loop for loop in listed if loop["matrix_clocks"]),
                  key=lambda loop: (-loop["matrix_clocks"], loop["kinds"].get("vector", 0)))


def _loaded(kernel, case, whole):
    """Bytes that the tiles' rows and columns have, each counted once a tile."""
    tile_m, tile_n = kernel.parameters["BM"], kernel.parameters["BN"]
    if whole:
        lines = case.m * -(-case.n // tile_n) + case.n * -(-case.m // tile_m)
    else:
        lines = min(tile_m, case.m) + min(tile_n, case.n)
    return lines * case.k * case.bytes_an_element


def of(build, kernel, case, chip, folder):
    """Metrics by name; throws launches.Failed."""
    contents = launches.listing(build, "list", kernel.code_object, "--json")
    listed = next(entry for entry in contents["kernels"] if entry["kernel"] == kernel.symbol)
    waves = listed["occupancy"]["waves_per_simd"]
    found = {"registers": kernel.registers, "spills": listed["vgpr_spills"] + listed["sgpr_spills"], "waves": waves,
             "compile_seconds": kernel.compile_seconds, "code_bytes": contents["bytes"]}
    loops = _with_products(build, kernel)
    if loops:
        found |= _of_loop(loops[0], kernel, case, chip, waves)

    first = launches.emulate(build, launches.write_launch(kernel, folder / "first.yaml", groups=1))
    found["conflict_clocks"] = sum(first["lds"]["conflict_clocks"].values())
    stores = first["stores"].values()
    if stores:
        found["bytes_a_lane_a_store"] = sum(store["bytes"] for store in stores) / sum(store["instructions"] for store in stores) / 64
    if "BM" in kernel.parameters and "BN" in kernel.parameters:
        found["tile_area"] = kernel.parameters["BM"] * kernel.parameters["BN"]
        ragged = case.m % kernel.parameters["BM"] or case.n % kernel.parameters["BN"]
        whole = ragged and case.products * case.bytes_an_element < MATRIX_INSTRUCTIONS * 16384
        report = launches.emulate(build, launches.write_launch(kernel, folder / "whole.yaml")) if whole else first
        found["loaded"] = report["bytes"]["global"]["loaded"] / _loaded(kernel, case, whole)
    if case.heads:
        found |= attention.of(build, kernel, case, chip, folder, loops, first)
    return found
