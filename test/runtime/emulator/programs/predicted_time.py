"""predicted_time.py PROGRAM KERNELS: runs vector_add, which times itself by events, in predicted time."""
import os
import re
import subprocess
import sys


def run(timing, target=""):
    environment = {**os.environ, "NSTF_EMU_TIMING": timing, "NSTF_EMU_TARGET": target}
    return subprocess.run(sys.argv[1:], env=environment, capture_output=True, text=True)


def main():
    for chip, target, name in (("mi300x", "gfx942", "MI300X"), ("mi250x", "gfx90a", "MI250X")):
        first, again = run(chip), run(chip)
        time = re.search(r"^([0-9.]+) us$", first.stdout, re.MULTILINE)
        # An empty kernel behind copies takes 2 us, and loads from memory, one after the other, 1 us; 1.2 MB don't take long.
        if first.returncode or not time or not 3 < float(time[1]) < 15:
            raise SystemExit(f"{chip}: expected a time of 3 to 15 us but got\n{first.stdout}{first.stderr}")
        if name not in first.stdout or target not in first.stdout:
            raise SystemExit(f"expected a device {name}, {target}, but got\n{first.stdout}")
        if first.stdout != again.stdout:
            raise SystemExit(f"{chip}: expected the same time again but got\n{first.stdout}{again.stdout}")
    for chip, target, error in (
        ("none", "", "expected one of the chips .*mi300x.* but got 'none'"),
        ("mi300x", "gfx90a", "mi300x is a gfx942 but the device is to be a gfx90a"),
    ):
        refused = run(chip, target)
        if not refused.returncode or not re.fullmatch(f"nstf-emulator: .*{error}\n", refused.stderr):
            raise SystemExit(f"expected '{error}' but got status {refused.returncode} and\n{refused.stderr}")


if __name__ == "__main__":
    main()
