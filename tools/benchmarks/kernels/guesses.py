"""The constants of the timing model that nobody measured, and what each may be: `range` in templates/targets/timing."""

import dataclasses
import functools

import yaml

from benchmarks import launches

FOLDER = launches.ROOT / "templates" / "targets" / "timing"
BETWEEN_LAUNCHES = {"graph_node_ns"}                           # predicted times leave the cost of launching out
CODE = {"lds_narrow_read_clocks": r"\bds_read_[ui](8|16)"}     # instructions without which a constant decides nothing


@dataclasses.dataclass(frozen=True)
class Guess:
    constant: str
    value: float
    unit: str
    ends: tuple   # lowest, highest


@dataclasses.dataclass(frozen=True)
class End:
    """A constant that may be something else than the chip's file says."""
    constant: str
    value: float
    unit: str
    differs: bool   # from the chip's file

    @property
    def title(self):
        return f"{self.constant} {self.value:g}"

    def timing(self, chip, folder):
        """A file for nstf-emu's --timing."""
        path = folder / f"{chip.name}_{self.constant}_{self.value:g}.yaml"
        path.write_text(yaml.safe_dump({
            "name": chip.name, "target": chip.target, "description": self.title, "base": chip.name,
            "constants": {self.constant: {"value": self.value, "unit": self.unit, "mark": "U", "source": "an end of its range"}}}))
        return path


@functools.cache
def _constants(name):
    data = yaml.safe_load((FOLDER / f"{name}.yaml").read_text())
    return (_constants(data["base"]) if "base" in data else {}) | data["constants"]


def read(name):
    """Of a chip, in the order of its file."""
    return [Guess(key, constant["value"], constant["unit"], (constant["range"]["lowest"], constant["range"]["highest"]))
            for key, constant in _constants(name).items() if "range" in constant]


def end(name, constant, value):
    """Any constant of a chip at any value; KeyError where the chip has none of that name."""
    known = _constants(name)[constant]
    return End(constant, value, known["unit"], value != known["value"])
