"""counted_matvec.py BUILD FOLDER: what a product of one row and 4096 x 4096 codes loads and executes, held below a limit."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[4] / "tools"))
from benchmarks import launches  # noqa: E402

build, folder = map(pathlib.Path, sys.argv[1:])
folder.mkdir(parents=True, exist_ok=True)
# Of tiles that share x among many rows, whatever the tables choose.
for name, tile, most_bytes, most_instructions in (("int8", "BN=32 BK=1024 BS=64 waves=8x1", 19e6, 450_000),
                                                  ("int4_g128", "BN=64 BK=2048 BS=64 waves=16x1", 11e6, 600_000)):
    for target in ("gfx942", "gfx90a"):
        words = ["matvec", "--n=4096", "--k=4096", "--type=f16", f"--w-format={name}",
                 *(f"--set={part}" for part in tile.split())]
        kernel = launches.nstf_kernel(build, words, target, folder)
        report = launches.emulate(build, launches.write_launch(kernel, folder / "launch.yaml"))
        loaded = sum(report["bytes"][memory]["loaded"] for memory in ("global", "scalar"))
        vector = report["instructions"]["by_class"]["vector"]
        scratch = sum(report["bytes"]["scratch"].values()) + report["scratch_bytes_per_lane"]
        print(f"{name} {target}: {loaded / 1e6:.2f} MB loaded, {vector} vector instructions, {scratch} bytes of scratch")
        assert 4096 * 4096 * int(name[3]) / 8 < loaded <= most_bytes, f"expected at most {most_bytes} bytes"
        assert 0 < vector <= most_instructions, f"expected at most {most_instructions} instructions"
        assert scratch == 0
