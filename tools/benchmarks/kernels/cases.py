"""The cases and aims of cases.yaml."""

import dataclasses
import pathlib
import re

import yaml

from benchmarks import h200
from benchmarks.kernels import aims, chip

FILE = pathlib.Path(__file__).parent / "cases.yaml"
BYTES = {"f32": 4, "f16": 2, "bf16": 2, "i8": 1, "e4m3fnuz": 1}


@dataclasses.dataclass(frozen=True, eq=False)
class Case:
    kernel: str
    type: str
    m: int = 1
    n: int = 0
    k: int = 0
    heads: int = 0
    kv_heads: int = 0
    head_size: int = 0
    context: int = 0       # rows of the cache that attention reads
    position: int = 0      # of its first row in there
    kv_type: str = ""      # of the cache, where it isn't `type`: i8
    kv_order: str = ""     # of the cache, where it isn't rows: operands
    w_format: str = ""     # of the matrix, where it is codes: int8, int4_g128
    x_format: str = ""     # of the rows, where they are codes: i8, e4m3fnuz
    chips: tuple = tuple(chip.TARGETS)
    h200: str = ""         # row and type in cuda_h200.tsv, where they aren't those of a gemm of these sizes
    rate_beside: str = ""  # the case whose rate `rate` is a part of
    cold: bool = False     # a step of decoding: all other weights come between two launches
    aims: dict = dataclasses.field(default_factory=dict)

    @property
    def launches(self):
        """The last of so many counts: as silicon is measured, after one to warm up, unless caches are cold in use."""
        return 1 if self.cold else 2

    @property
    def name(self):
        cache = f" at {self.position} of {self.context}" if self.context else ""
        shape = f"{self.m}{cache} heads {self.heads}/{self.kv_heads} size {self.head_size}" if self.heads else \
            f"{self.m}x{self.n}x{self.k}"
        kinds = (self.kv_type, self.kv_order, self.w_format, self.x_format)
        return f"{self.kernel} {self.type} {shape}" + "".join(f" {kind}" for kind in kinds if kind)

    @property
    def h200_microseconds(self):
        """None where nobody measured it."""
        row, _, kind = (self.h200 or f"gemm {self.m}x{self.n}x{self.k} {self.type}").rpartition(" ")
        return h200.rows().get((row, kind), (None, ""))[0]

    @property
    def words(self):
        """Of `nstfc kernel`."""
        sizes = {"m": self.m, "heads": self.heads, "kv-heads": self.kv_heads, "head-size": self.head_size} if self.heads else \
            {"m": self.m, "n": self.n, "k": self.k}
        if self.kernel == "matvec":
            del sizes["m"]
        words = [self.kernel, *(f"--{key}={value}" for key, value in sizes.items()), f"--type={self.type}"]
        options = {"context": self.context, "kv-type": self.kv_type, "kv-order": self.kv_order, "w-format": self.w_format, "x-format": self.x_format}
        return words + [f"--{key}={value}" for key, value in options.items() if value]

    @property
    def product_type(self):
        """In which the matrix cores multiply."""
        return self.x_format or self.type

    @property
    def bytes_an_element(self):
        return BYTES[self.type]

    @property
    def bytes_a_weight(self):
        """Of a code, its part of a scale of 16 bits and of a zero."""
        if not self.w_format:
            return self.bytes_an_element
        bits, group, symmetric = re.fullmatch(r"int(\d)(?:_g(\d+))?(_sym)?", self.w_format).groups()
        zero = int(bits) if group and not symmetric else 0
        return (int(bits) + (16 + zero) / int(group or self.k)) / 8

    @property
    def control(self):
        """What the control block begins with."""
        return (self.m, self.position) if self.context else ()

    @property
    def keys(self):
        """That attention reads."""
        return self.position + self.m

    @property
    def cache_bytes(self):
        """Of the keys and values that attention reads; a code's row has a scale."""
        cached = self.head_size * BYTES[self.kv_type] + BYTES["f32"] if self.kv_type else self.head_size * self.bytes_an_element
        return 2 * self.keys * self.kv_heads * cached

    @property
    def products(self):
        """Multiplications of two elements; of attention, which is causal, those of the scores and values that a row sees, all
        that stand before the first and half of the others."""
        seen = self.m * (2 * self.position + self.m)
        return self.heads * seen * self.head_size if self.heads else self.m * self.n * self.k

    @property
    def bytes(self):
        """That memory must give and take: each operand and the result once."""
        if self.heads:
            return 2 * self.m * self.heads * self.head_size * self.bytes_an_element + self.cache_bytes
        result = 4 if self.type in ("i8", "e4m3fnuz") else self.bytes_an_element
        row = self.k + 4 if self.x_format else self.k * self.bytes_an_element
        return self.m * row + self.n * self.k * self.bytes_a_weight + self.m * self.n * result


class Unreadable(Exception):
    """A file of cases that isn't one; the text says which and why."""


def read(file=FILE):
    """All cases, and what else the file says by its keys; throws Unreadable."""
    try:
        data = yaml.safe_load(file.read_text())
        rest = {key: data[key] for key in ("every", "median", "not_of_ping_pong")}
        known = [Case(**case) for case in data["cases"]]
        for wanted in [rest["every"], rest["median"], *(case.aims for case in known)]:
            aims.check(wanted)
        return known, rest
    except ValueError as error:
        raise Unreadable(f"{file}: {error}")
    except OSError as error:
        raise Unreadable(f"{file}: {error.strerror}")
    except KeyError as error:
        raise Unreadable(f"{file}: expected cases, every, median and not_of_ping_pong but got no {error}")
    except (TypeError, yaml.YAMLError) as error:
        raise Unreadable(f"{file}: expected cases and their aims but got " + " ".join(str(error).split()))
