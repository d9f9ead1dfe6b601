"""Times that were measured on an H200, from cuda_h200.tsv."""

import functools
import pathlib


@functools.cache
def rows():
    """(row, type): microseconds and note."""
    found = {}
    for line in (pathlib.Path(__file__).parent / "cuda_h200.tsv").read_text().splitlines():
        if not line.startswith(("#", "row\t")):
            name, kind, microseconds, *note = line.split("\t")
            found[name, kind] = float(microseconds), note[0] if note else ""
    return found
