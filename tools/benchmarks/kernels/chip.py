"""What a chip could do at the most, by its files of constants."""

import dataclasses
import functools

import yaml

from benchmarks.launches import ROOT

TARGETS = {"mi300x": "gfx942", "mi250x": "gfx90a"}
MLIR_TYPES = {"e4m3fnuz": "f8E4M3FNUZ"}


@dataclasses.dataclass(frozen=True)
class Chip:
    name: str
    target: str
    compute_units: int
    simds: int
    clock_mhz: float          # the peak clock
    memory_bandwidth: float   # bytes a nanosecond, by the data sheet
    read_bandwidth: float     # bytes a nanosecond that kernels read from HBM, measured
    graph_node_ns: float      # between the kernels of a captured graph
    products: dict            # by MLIR type: products a clock and SIMD of its fastest matrix instruction

    def products_a_clock(self, element):
        """Of a SIMD; None where no matrix instruction multiplies such elements."""
        return self.products.get(MLIR_TYPES.get(element, element))


@functools.cache
def read(name):
    folder = ROOT / "templates" / "targets"
    constants = yaml.safe_load((folder / "timing" / f"{name}.yaml").read_text())["constants"]
    target = yaml.safe_load((folder / f"{TARGETS[name]}.yaml").read_text())
    products = {}
    for instruction in target["matrix_instructions"]:
        if instruction["a"] == instruction["b"]:
            count = instruction["m"] * instruction["n"] * instruction["k"] * instruction["blocks"]
            clocks = instruction["passes"] * constants["matrix_pass_clocks"]["value"]
            products[instruction["a"]] = max(products.get(instruction["a"], 0), count / clocks)
    value = {key: constant["value"] for key, constant in constants.items()}
    return Chip(name, TARGETS[name], value["compute_units"], value["simds_per_compute_unit"], value["peak_clock"],
                value["memory_bandwidth"], value["hbm_read_bandwidth"], value["graph_node_ns"], products)
