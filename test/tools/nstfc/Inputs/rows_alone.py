"""Runs a package on rows, and on rows of which all but one are others, or all behind one: that one's result must be the same, bit
for bit. With `invariant`: in steps of up to 16 rows, a row has the bits that it has alone.

    rows_alone.py FOLDER NAME CHIP [behind|invariant]
"""
import pathlib
import random
import struct
import subprocess
import sys

COLUMNS = 172


def write(path, rows):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(rows)}, {COLUMNS}), }}".ljust(117).encode() + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
                     + b"".join(struct.pack(f"<{COLUMNS}f", *row) for row in rows))


def read_rows(path, count):
    content = path.read_bytes()
    content = content[10 + struct.unpack("<H", content[8:10])[0]:]
    size = len(content) // count
    return [content[at:at + size] for at in range(0, len(content), size)]


folder, name, chip, *behind = pathlib.Path(sys.argv[1]), *sys.argv[2:]
draw = random.Random(3)


def make(size):
    return [draw.uniform(-size, size) for _ in range(COLUMNS)]


def run(rows):
    x, y = folder / "x.npy", folder / "y.npy"
    write(x, rows)
    subprocess.run(["nstf-run", folder / f"{name}.nstf", f"--target={chip}", "--device=emulator", f"--input=x={x}", f"--output=y={y}",
                    "--quiet"], check=True)
    return read_rows(y, len(rows))


if behind == ["invariant"]:
    rows = [make(1) for _ in range(16)]
    together = run(rows)
    assert run(rows[:7]) == together[:7], "a row of 7 differs"
    alone = [run([row])[0] == whole for row, whole in list(zip(rows, together))[::5]]
    print("rows alone:", "the same bits" if all(alone) else "other bits")
    sys.exit()
sizes = [1, 2, 16, 17, 64]
for count in sizes:
    rows = [make(1) for _ in range(count)]
    kept = (count - 1) // 2
    found = run(rows)
    if count == 17:
        assert run(rows) == found, "two runs differ"
    others = run([row if i == kept or (behind and i < kept) else make(1000) for i, row in enumerate(rows)])
    assert others[kept] == found[kept], f"{count} rows: row {kept} depends on the others"
    assert count == 1 or others[kept + 1] != found[kept + 1], f"{count} rows: nothing changed"
print(f"{len(sizes)} sizes: rows are their own")
