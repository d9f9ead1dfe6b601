"""The models, cases and aims of cases.yaml."""

import dataclasses
import pathlib

import yaml

from benchmarks import h200
from benchmarks.kernels import aims, chip

FILE = pathlib.Path(__file__).parent / "cases.yaml"


class Unreadable(Exception):
    """A file of cases that isn't one; the text says which and why."""


@dataclasses.dataclass(frozen=True, eq=False)
class Model:
    name: str
    config: dict = dataclasses.field(default_factory=dict)  # of a config.json
    graph: str = ""                                         # in place of it: a file that nstfc takes

    @property
    def layers(self):
        """None where the graph has as many as it has."""
        return self.config.get("num_hidden_layers")


@dataclasses.dataclass(frozen=True, eq=False)
class Case:
    model: Model
    name: str               # of what `options` make of the model
    options: tuple = ()     # of nstfc
    rows: int = 1
    position: int = 0       # of the first of them
    requests: int = 1       # that the rows are of, as many each, all at that position
    warm: bool = False      # code and data are where the same step left them
    chips: tuple = tuple(chip.TARGETS)
    h200: str = ""
    aims: dict = dataclasses.field(default_factory=dict)

    @property
    def title(self):
        rows = f"{self.rows}" if self.requests == 1 else f"{self.requests} x {self.rows // self.requests}"
        return f"{self.model.name} {self.name} {rows} at {self.position}"

    @property
    def h200_microseconds(self):
        """None where nobody measured it."""
        row, _, kind = self.h200.rpartition(" ")
        return h200.rows().get((row, kind), (None, ""))[0]


def _model(name, data):
    model = Model(name, **data)
    if bool(model.config) == bool(model.graph):
        raise Unreadable(f"{name}: expected either a config or a graph")
    if model.config and not isinstance(model.layers, int):
        raise Unreadable(f"{name}: expected a config with num_hidden_layers")
    return model


def read(file=FILE):
    """All cases; throws Unreadable."""
    try:
        data = yaml.safe_load(file.read_text())
        models = {name: _model(name, model) for name, model in data["models"].items()}
        known = [Case(**{**case, "model": models[case["model"]], "options": tuple(case.get("options", ()))}) for case in data["cases"]]
        for case in known:
            aims.check(case.aims)
            if case.requests < 1 or case.rows % case.requests:
                raise Unreadable(f"{case.title}: expected as many rows of each request")
        return known
    except (ValueError, Unreadable) as error:
        raise Unreadable(f"{file}: {error}")
    except OSError as error:
        raise Unreadable(f"{file}: {error.strerror}")
    except KeyError as error:
        raise Unreadable(f"{file}: expected models and cases of them but got no {error}")
    except (AttributeError, TypeError, yaml.YAMLError) as error:
        raise Unreadable(f"{file}: expected models and cases but got " + " ".join(str(error).split()))
