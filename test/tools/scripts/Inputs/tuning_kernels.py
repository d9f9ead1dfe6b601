"""tuning_kernels.py SCRIPTS TUNING: the words of nstfc kernel for each row of the tuning files, on two chips."""
import pathlib
import sys

sys.path[0] = sys.argv[1]
import tuning_rows  # noqa: E402

rows = list(tuning_rows.read(pathlib.Path(sys.argv[2])))
for place, words, chip in tuning_rows.kernels(["gfx90a", "gfx942"], rows):
    print(chip, place, *(words or ["none"]))
