"""Times by the timing model, kept on disk: a kernel is predicted once, however often the cost model changes."""

import hashlib
import json
import pathlib
import struct

from benchmarks import launches
from benchmarks.kernels import prediction

KEPT = pathlib.Path.home() / ".cache" / "nstf" / "times"
TIMING = launches.ROOT / "templates" / "targets" / "timing"


def _code(code_object):
    """The machine code of an ELF file, whose other sections name the kernel by a hash of all templates."""
    data = code_object.read_bytes()
    offset, size, count, names = *struct.unpack_from("<Q", data, 40), *struct.unpack_from("<3H", data, 58)
    sections = [struct.unpack_from("<IIQQQQ", data, offset + index * size) for index in range(count)]
    for name, _, _, _, start, length in sections:
        if data[sections[names][4] + name:].startswith(b".text\0"):
            return data[start:start + length]
    raise launches.Failed(f"{code_object}: expected a section .text but got none")


def microseconds(build, kernel, chip, folder):
    """Of a first launch at the peak clock, launch cost apart; throws launches.Failed."""
    key = hashlib.sha256(_code(kernel.code_object))
    key.update(json.dumps([kernel.groups, kernel.threads, kernel.buffers]).encode())
    key.update((TIMING / f"{chip.name}.yaml").read_bytes())
    kept = KEPT / key.hexdigest()
    if not kept.exists():
        time = prediction.microseconds(build, kernel, chip, folder)
        KEPT.mkdir(parents=True, exist_ok=True)
        part = kept.with_suffix(".part")
        part.write_text(repr(time))
        part.rename(kept)
    return float(kept.read_text())
