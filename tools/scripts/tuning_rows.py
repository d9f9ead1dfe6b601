"""The rows of templates/tuning, and for each the arguments of a `nstfc kernel` that takes it.

Of a row only `when` is read: ranges [lowest, highest] of what a binding says, or of what a division of it leaves (M%256)."""

import dataclasses
import itertools
import pathlib

import yaml

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "templates" / "tuning"
OPEN = 1_000_000_000  # an end from here on is none
TOGETHER = 128        # open ranges begin at a multiple of it: formats of weights need one, and it is what users have


@dataclasses.dataclass(frozen=True)
class Row:
    chip: str       # a folder of templates/tuning: "default" is for all
    template: str
    type: str       # what the file is called by
    number: int     # from 1
    ranges: tuple   # of (axis, divisor or 1, lowest, highest)

    @property
    def place(self):
        """As `nstfc --explain` calls it."""
        return f"tuning/{self.chip}/{self.template}/{self.type}.yaml row {self.number}"

    def holds(self, extents):
        return all(axis in extents and lowest <= (extents[axis] % divisor if divisor > 1 else extents[axis]) <= highest
                   for axis, divisor, lowest, highest in self.ranges)


def read(folder=FOLDER):
    """All rows, in their order."""
    for file in sorted(folder.glob("*/*/*.yaml")):
        for number, row in enumerate(yaml.safe_load(file.read_text())["rows"], 1):
            ranges = []
            for name, (lowest, highest) in row.get("when", {}).items():
                axis, _, divisor = name.partition("%")
                ranges.append((axis, int(divisor or 1), lowest, highest))
            yield Row(file.parent.parent.name, file.parent.name, file.stem, number, tuple(ranges))


@dataclasses.dataclass(frozen=True)
class Kernel:
    """How `nstfc kernel` makes kernels of a template; sizes are options by the axis that rows ask for."""
    name: str
    sizes: dict        # axis: option
    usual: dict        # axis: its size where nothing is asked
    words: tuple = ()  # further ones; {m} and others stand for sizes


def _rows_of(name):
    return Kernel(name, {"M": "m", "N": "n"}, {"M": 33, "N": 96})


KERNELS = {
    "matmul": Kernel("matmul", {"M": "m", "N": "n", "K": "k"}, {"M": 128, "N": 1024, "K": 512}),
    "matvec": Kernel("matvec", {"N": "n", "K": "k"}, {"N": 14336, "K": 4096}),
    "attention": Kernel("attention", {"RG": "m", "HK": "kv-heads", "D": "head-size"}, {"RG": 128, "HK": 4, "D": 64},
                        ("--heads={kv-heads}",)),
    "rope": Kernel("rope", {"R": "m", "D": "head-size"}, {"R": 64, "D": 64}, ("--heads=1", "--context={m}")),
    "embedding": Kernel("embedding", {"M": "m", "N": "n"}, {"M": 33, "N": 96}, ("--rows=50",)),
    "kv_append": Kernel("kv_append", {"M": "m", "N": "n"}, {"M": 33, "N": 96}, ("--context=64",)),
    "elementwise": _rows_of("silu"),
    **{name: _rows_of(name) for name in ("argmax", "l2_normalize", "layer_norm", "mean_rows", "quantize", "rms_norm", "softmax")},
}

# Of templates whose rows are by type: for each type that shares the file the words that choose it, and what rows ask of
# these. Of several words for one type a row takes the first that it can.
F16 = {"F16": 1}
CACHE = "--context={m}"
TYPES = {
    ("matmul", "f32"): [[(("--type=f32",), {})]],
    ("matmul", "f16"): [[(("--type=f16",), {})], [(("--type=bf16",), {})]],
    ("matmul", "i8"): [[(("--type=i8",), {})], [(("--type=e4m3fnuz",), {})]],
    ("matmul", "int8"): [[(("--type=f16", "--w-format=int8"), {})]],
    ("matmul", "int6"): [[(("--type=f16", "--w-format=int6_g128"), {})]],
    ("matmul", "int4"): [[(("--type=f16", "--w-format=int4_g128"), {})], [(("--type=f16", "--w-format=int5_g128"), {})]],
    ("matvec", "f32"): [[(("--type=f32",), {})]],
    ("matvec", "f16"): [[(("--type=f16",), {})], [(("--type=bf16",), {})]],
    ("matvec", "i8"): [[(("--type=f16", "--w-format=int8", "--x-format=i8"), {})]],
    ("matvec", "int8"): [[(("--type=f16", "--w-format=int8"), {})]],
    ("matvec", "int4"): [[(("--type=f16", "--w-format=int4_g128"), F16)], [(("--type=bf16", "--w-format=int4_g128"), {"F16": 0})],
                         [(("--type=f16", "--w-format=int6_g128"), F16)]],
    ("attention", "f32"): [[(("--type=f32",), {"CODES": 0}), (("--type=f32", "--kv-type=i8", CACHE), {"CODES": 1})]],
    ("attention", "f16"): [[((f"--type={name}",), {"CODES": 0}), ((f"--type={name}", "--kv-type=i8", CACHE), {"CODES": 1})]
                           for name in ("f16", "bf16")],
}
NOT_ON = {"gfx90a": "e4m3fnuz"}  # its matrix cores know no numbers of 8 bits


def _extents(sizes, facts):
    """What rows may ask about."""
    extents = {**sizes, **facts}
    if "D" in sizes:
        extents |= {"DP": -(-sizes["D"] // 16) * 16, "BD": 1 << (sizes["D"] - 1).bit_length()}
    return extents


def _candidates(axis, usual, row, others):
    """Sizes of an axis that may lie in a row, the plainest first: the end of its range, then where others end or begin."""
    named = {"D": ("D", "DP", "BD")}.get(axis, (axis,))
    found, rests = [], {(1, 0)}
    own = [entry for entry in row.ranges if entry[0] in named]
    for _, divisor, lowest, highest in own:
        if divisor == 1:
            found.append(highest if highest < OPEN else -(-int(lowest) // TOGETHER) * TOGETHER)
            found.append(int(lowest))
    if not found:
        found.append(usual)
    for name, divisor, lowest, highest in itertools.chain(own, *(other.ranges for other in others)):
        if name not in named:
            continue
        if divisor > 1:
            rests |= {(divisor, lowest), (divisor, highest + 1)}
        else:
            found += [int(lowest), -(-int(lowest) // TOGETHER) * TOGETHER]
            found += [highest, (highest // TOGETHER + 1) * TOGETHER, highest + 1] if highest < OPEN else []
    sizes = [size + (rest - size) % divisor for divisor, rest in sorted(rests) for size in found]
    return [size for size in dict.fromkeys(sizes) if size > 0]


def _size_inside(row, before, kernel, facts):
    """Sizes by axis of a kernel that a row holds for and none of those before it; None where there are none."""
    axes = list(kernel.sizes)
    lists = [list(enumerate(_candidates(axis, kernel.usual[axis], row, before))) for axis in axes]
    for choice in sorted(itertools.product(*lists), key=lambda choice: (sum(rank for rank, _ in choice), choice)):
        sizes = {axis: size for axis, (_, size) in zip(axes, choice)}
        extents = _extents(sizes, facts)
        if row.holds(extents) and not any(other.holds(extents) for other in before):
            return sizes
    return None


def _asked_before(row, chip, rows):
    """Rows that the compiler asks before this one, for a chip: of the same type the chip's own, then those of all."""
    files = [chip, "default"]
    alike = [other for other in rows if (other.template, other.type) == (row.template, row.type) and other.chip in files]
    return [other for other in alike if (files.index(other.chip), other.number) < (files.index(row.chip), row.number)]


def kernels(chips, rows):
    """(place of the row, arguments of `nstfc kernel` or None where none is known to take it, chip) of each row, on each chip it
    is for and in each type."""
    for row in rows:
        for chip in chips if row.chip == "default" else [row.chip]:
            kernel, before = KERNELS.get(row.template), _asked_before(row, chip, rows)
            for variants in TYPES.get((row.template, row.type), [[((), {})]]):
                variants = [variant for variant in variants if not any(NOT_ON.get(chip, "none") in word for word in variant[0])]
                found = None
                for words, facts in variants if kernel else []:
                    sizes = _size_inside(row, before, kernel, facts)
                    if sizes:
                        options = {option: sizes[axis] for axis, option in kernel.sizes.items()}
                        found = [kernel.name, *(word.format(**options) for word in [*words, *kernel.words]),
                                 *(f"--{option}={size}" for option, size in options.items())]
                        break
                if found or not kernel:
                    yield row.place, found, chip
