"""What fewer bits cost: stories260K in each format, beside llama.cpp's and simpler roundings; issue lines and whether they are met.

    tools/bench quantisation [--chips=gfx942,gfx90a] [--rows=0-7] [--no-packages] [--only=PART,…] [--build=BUILD]

Rows 8-23 of samples.npy calibrate, 0-7 judge. "reference" is the float64 reference of the checkpoint that nstfc compress wrote, a
chip's column its package on the emulator beside the f32 package. Exit status 1 where a line is missed."""

import argparse
import dataclasses
import functools
import json
import pathlib
import subprocess
import sys
import tempfile

from benchmarks import launches
from benchmarks.quantisation import others, plans

MODELS = launches.ROOT.parent / "shared" / "models"
TINY = launches.ROOT / "examples" / "01-tiny-llama"
PACKAGES = ["gguf==0.19.0", "numpy==2.2.6"]


@dataclasses.dataclass
class Line:
    """A format and its limits."""
    name: str
    bits: float = None                # None: of weights as they are
    kl: float = None
    perplexity: float = None          # per cent over the float model's
    words: list = None                # of nstfc compress; None: a type of gguf
    gguf: str = None
    chips: list = None                # that have it; None: all
    note: str = None                  # why the bits can't be had
    calibrated: bool = True           # else the whole range of each group has codes, as llama.cpp's types have it
    found_bits: float = None
    found: dict = dataclasses.field(default_factory=dict)   # column: (KL, per cent)


LINES = [
    Line("int8", 8.3, 0.0007, 0.1, ["--format=int8"]),
    Line("W8A8 int8", 8.3, 0.0020, 0.3, ["--format=int8", "--activations=i8"]),
    Line("W8A8 + KV int8", 8.3, 0.0042, 0.4, ["--format=int8", "--activations=i8", "--kv-cache=i8"]),
    Line("KV int8", None, 0.0042, 0.4, ["--format=f32", "--kv-cache=i8"]),
    Line("e4m3fnuz", 8.3, 0.013, 1.4, ["--format=e4m3fnuz"]),
    Line("W8A8 e4m3fnuz", 8.3, 0.019, 2.1, ["--format=e4m3fnuz", "--activations=e4m3fnuz"], chips=["gfx942"]),
    Line("KV e4m3fnuz", None, 0.020, 1.9, ["--format=f32", "--kv-cache=e4m3fnuz"], chips=["gfx942"]),
    Line("int6_g32", 6.7, 0.0043, 0.6, ["--format=int6_g32"],
         note="out of reach: with an f16 scale and a 6-bit zero a group, K = 64 takes 6.6875, K = 172 unpadded 6.767, together 6.704"),
    Line("int5_g32", 5.7, 0.017, 1.8, ["--format=int5_g32"]),
    Line("int4_g32", 4.7, 0.074, 7.5, ["--format=int4_g32"]),
    Line("--max-kl=0.002", 7.3, 0.0028, 0.5, ["--max-kl=0.002"]),
    Line("--max-kl=0.01", 6.0, 0.014, 1.1, ["--max-kl=0.01"]),
    Line("Q8_0", gguf="Q8_0"),
    Line("Q5_0", gguf="Q5_0"),
    Line("Q4_0", gguf="Q4_0"),
    Line("int4_g32 nearest", words=["--format=int4_g32", "--rounding=nearest", "--scale-channels=off"], calibrated=False),
    Line("int4_g32 nearest, cut", words=["--format=int4_g32", "--rounding=nearest", "--scale-channels=off"]),
    Line("int4_g32 AWQ alone", words=["--format=int4_g32", "--rounding=nearest", "--scale-channels=awq"]),
    Line("int4_g32 GPTQ alone", words=["--format=int4_g32", "--rounding=gptq", "--scale-channels=off"]),
]


class Bench:
    def __init__(self, arguments, folder):
        self.build, self.rows, self.folder = arguments.build, arguments.rows, pathlib.Path(folder)
        self.chips = [] if arguments.no_packages else arguments.chips.split(",")
        self.model, self.samples = MODELS / "stories260K" / "hf", MODELS / "stories260K" / "samples.npy"
        self.models_folder, self.missed = MODELS, []

    def run(self, tool, *words):
        done = subprocess.run([self.build / "bin" / tool, *words], capture_output=True, text=True)
        if done.returncode:
            raise launches.Failed((done.stderr.strip().splitlines() or [f"{tool} ended with {done.returncode}"])[-1])
        return done.stdout

    def models(self, *words):
        with_packages = launches.ROOT / "test" / "runtime" / "emulator" / "with_packages.py"
        script = pathlib.Path(__file__).with_name("models.py")
        done = subprocess.run([sys.executable, with_packages, *PACKAGES, "--", script, *words], capture_output=True, text=True)
        if done.returncode:
            said = (done.stdout + done.stderr).strip().splitlines()
            raise launches.Failed(said[-1] if said else "models.py failed")
        return json.loads(done.stdout.splitlines()[-1])

    def calibrate(self, model, *words):
        folder = self.folder / f"{len(list(self.folder.iterdir()))}.calib"
        self.run("nstfc", "calibrate", model, *words, "-o", folder, "--quiet")
        return folder

    def compress(self, model, name, *words):
        """The checkpoint, and its report."""
        folder, report = self.folder / name.replace(" ", "-"), self.folder / "report.json"
        self.run("nstfc", "compress", model, *words, "-o", folder, "--report", report, "--quiet")
        return folder, json.loads(report.read_text())

    def compile(self, model, name, *words, chips=None):
        package = self.folder / (name.replace(" ", "-") + ".nstf")
        self.run("nstfc", model, *[f"--target={chip}" for chip in chips or self.chips], "-o", package, "--quiet", *words)
        return package

    def judge_package(self, line, folder, base, chips, *words):
        chips = [chip for chip in chips if chip in (line.chips or chips)]
        if not chips:
            return
        package = self.compile(folder, line.name, *words, chips=chips)
        for chip in chips:
            found = json.loads(self.run("nstf-run", package, "--perplexity", self.samples, f"--rows={self.rows}", "--against", base,
                                        "--device=emulator", f"--target={chip}", "--json", "--quiet"))
            other = found["against"]
            line.found[chip] = other["kl"], 100 * (found["perplexity"] / other["perplexity"] - 1)

    def measure(self, line, calibration, base):
        if line.gguf:
            folder = self.folder / line.gguf
            line.found_bits = self.models("gguf", line.gguf, self.model, folder)
            # Numbers as they are, which one chip computes like the other.
            if self.chips:
                self.judge_package(line, folder, base, self.chips[:1], "--precision=f32")
        elif line.words:
            words = [*line.words, f"--calibration={calibration}"] if line.calibrated else line.words
            folder, report = self.compress(self.model, line.name, *words, "--judge", self.samples, f"--judge-rows={self.rows}")
            judged = report["judged"]
            line.found_bits = report["bits"]
            line.found["reference"] = judged["kl"], 100 * (judged["perplexity"][1] / judged["perplexity"][0] - 1)
            if self.chips and line.kl:
                self.judge_package(line, folder, base, self.chips)

    def verdict(self, line):
        """What a line misses, if anything."""
        if line.kl is None:
            return ""
        faults = []
        if line.bits and line.found_bits > line.bits:
            faults.append(f"{line.found_bits:.2f} bits" + (f" ({line.note})" if line.note else ""))
        for column, (kl, per_cent) in line.found.items():
            if kl > line.kl:
                faults.append(f"{column} KL {kl:.5f}")
            if per_cent > line.perplexity:
                faults.append(f"{column} {per_cent:+.2f} %")
            if abs(kl - line.found["reference"][0]) > max(1e-5, 0.02 * line.found["reference"][0]):
                faults.append(f"{column} KL {kl:.5f}, the reference's {line.found['reference'][0]:.5f}")
        return ", ".join(faults)

    def part(self, name):
        if name == "halves":
            plans.beside_halves(self, "stories260K", self.model, [f"--calibration={self.calibrate_stories()}", "--judge", self.samples,
                                                                  f"--judge-rows={self.rows}"], 1)
        elif name == "range" and self.chips:
            plans.past_f16(self, self.chips[0])
        elif name == "encoder":
            others.encoder(self)
        elif name == "layer":
            others.layer(self)
        elif name == "block" and self.chips:
            others.block(self, self.chips)
        elif name == "tokens" and self.chips:
            self.tokens()
        elif name in ("table", "planted", "tiny"):
            getattr(self, name)()

    @functools.cache
    def calibrate_stories(self):
        return self.calibrate(self.model, "--ids", self.samples, "--rows=8-23")

    def check(self, what, isMet):
        print(f"{'met   ' if isMet else 'MISSED'} {what}", flush=True)
        if not isMet:
            self.missed.append(what)

    def table(self):
        calibration = self.calibrate_stories()
        base = self.compile(self.model, "base", "--precision=f32") if self.chips else None
        columns = ["reference", *self.chips]
        print(f"{'stories260K':22} {'bits':>11}" + "".join(f"{column + ', KL':>16} {'perplexity':>10}" for column in columns) + "  limits")
        for line in LINES:
            self.measure(line, calibration, base)
            cells = "".join(f"{line.found[column][0]:16.5f} {line.found[column][1]:+9.2f}%" if column in line.found else f"{'-':>16} {'-':>10}"
                            for column in columns)
            limits = (f"{line.bits} bits, " if line.bits else "") + f"{line.kl}, {line.perplexity:+} %" if line.kl else ""
            fault = self.verdict(line)
            bits = f"{line.found_bits:11.3f}" if line.found_bits else f"{'-':>11}"
            print(f"{line.name:22} {bits}{cells}  {limits}{'  MISSED: ' + fault if fault else ''}", flush=True)
            if fault:
                self.missed.append(f"{line.name}: {fault}")
        found = {line.name: line.found for line in LINES}
        ours = found["int4_g32"]["reference"][0]
        self.check("int4_g32 has less KL than Q4_0 and than nearest",
                   all(ours < kl for name in ("Q4_0", "int4_g32 nearest") for kl, _ in found[name].values()))

    def planted(self):
        """Channels 64 times the others."""
        model = self.folder / "planted"
        self.models("plant", self.model, model)
        calibration = self.calibrate(model, "--ids", self.samples, "--rows=8-23")
        judge = ["--format=int4_g32", f"--calibration={calibration}", "--judge", self.samples, f"--judge-rows={self.rows}"]
        plain = self.compress(self.model, "unplanted", "--format=int4_g32", f"--calibration={self.calibrate_stories()}", *judge[2:])[1]
        plain = plain["judged"]["kl"]
        folded = self.compress(model, "planted-folded", *judge)[1]["judged"]["kl"]
        unfolded = self.compress(model, "planted-unfolded", *judge, "--scale-channels=off", "--rounding=nearest")[1]["judged"]["kl"]
        self.check(f"planted outliers, int4_g32: KL {folded:.4f} is at most 1.15 x {plain:.4f}", folded <= 1.15 * plain)
        self.check(f"planted outliers, int4_g32 nearest without folding: KL {unfolded:.3f} is over 0.2", unfolded > 0.2)
        rotated = self.compress(model, "planted-rotated", *judge, "--rotate")[1]["judged"]["kl"]
        self.check(f"planted outliers, int4_g32 rotated: KL {rotated:.4f} is at most 0.08", rotated <= 0.08)
        judge[:1] = ["--format=int8", "--activations=i8"]
        folded = self.compress(model, "planted-w8a8", *judge)[1]["judged"]["kl"]
        unfolded = self.compress(model, "planted-w8a8-unfolded", *judge, "--scale-channels=off")[1]["judged"]["kl"]
        self.check(f"planted outliers, W8A8 int8: KL {folded:.4f} is at most 0.0020", folded <= 0.0020)
        self.check(f"planted outliers, W8A8 int8 without folding: KL {unfolded:.3f} is over 0.2", unfolded > 0.2)

    @functools.cache
    def calibrate_tiny(self):
        """examples/01-tiny-llama, what forty stories calibrated, and forty others that judge."""
        for seed in (1, 2):
            text = subprocess.run([sys.executable, TINY / "generate_stories.py", "--count=40", f"--seed={seed}"],
                                  capture_output=True, text=True, check=True).stdout
            (self.folder / f"stories{seed}.txt").write_text(text)
        return self.calibrate(TINY, "--text", self.folder / "stories1.txt", "--lines"), self.folder / "stories2.txt"

    def tiny(self):
        calibration, stories = self.calibrate_tiny()
        model, judging = TINY, ["--judge", stories, "--lines"]
        words = [f"--calibration={calibration}", *judging]

        def judge(name, *words):
            return self.compress(model, name, *words, *judging)[1]["judged"]["kl"]

        eight, four = judge("tiny8", "--format=int8", words[0]), judge("tiny4", "--format=int4_g32", words[0])
        nearest = judge("tiny-nearest", "--format=int4_g32", "--rounding=nearest", "--scale-channels=off")
        formats = "--formats=int4_g64,int4_g32,int5_g64,int5_g32,int6_g64,int8"
        plans.budget(self, "tiny-llama", model, [formats, *words], 0.0001, 5.1, 0.00018)
        plans.beside_halves(self, "tiny-llama", model, words, 1.6)
        self.check(f"tiny-llama, int8: KL {eight:.7f} is at most 0.00002", eight <= 0.00002)
        self.check(f"tiny-llama, int4_g32: KL {four:.6f} is at most 0.0005 and 0.65 x {nearest:.6f}",
                   four <= 0.0005 and four <= 0.65 * nearest)

    def tokens(self):
        """All of the story that tiny-llama tells, in every format."""
        def tell(folder, name, *words):
            return self.run("nstf-run", self.compile(folder, name, "--max-tokens=1", *words, chips=self.chips[:1]), "--device=emulator",
                            "--ids", "1", "--tokens", "300", "--greedy", "--print-ids", "--quiet").split()

        calibration, _ = self.calibrate_tiny()
        wanted = tell(TINY, "tiny", "--precision=f32")
        for line in LINES:
            if line.words and line.words[0].startswith("--format") and self.chips[0] in (line.chips or self.chips):
                folder, _ = self.compress(TINY, f"tiny {line.name}", *line.words, f"--calibration={calibration}")
                told = tell(folder, f"tiny {line.name}")
                same = next((i for i, (a, b) in enumerate(zip(told, wanted)) if a != b), min(len(told), len(wanted)))
                self.check(f"tiny-llama, {line.name}: {same} of {len(wanted)} tokens are those of f32", told == wanted)


# "range", "tokens" and "block" need the emulator.
PARTS = ["table", "halves", "planted", "range", "tiny", "tokens", "encoder", "layer", "block"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chips", default="gfx942,gfx90a", help="targets whose packages run")
    parser.add_argument("--rows", default="0-7", help="rows of samples.npy that judge")
    parser.add_argument("--no-packages", action="store_true", help="the reference alone, without the emulator")
    parser.add_argument("--only", default=",".join(PARTS), help="parts: " + ", ".join(PARTS))
    parser.add_argument("--build", type=pathlib.Path, default=launches.ROOT / "build", help="the build folder")
    arguments = parser.parse_args()
    if not MODELS.exists():
        sys.exit(f"error: expected {MODELS}, which has stories260K, but there is none")
    for tool in ("nstfc", "nstf-run"):
        if not (arguments.build / "bin" / tool).exists():
            sys.exit(f"error: expected {arguments.build}/bin/{tool} but there is none")
    parts = arguments.only.split(",")
    if unknown := set(parts) - set(PARTS):
        parser.error(f"--only: expected parts among {', '.join(PARTS)} but got {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments, folder)
        try:
            for part in PARTS:
                if part in parts:
                    bench.part(part)
        except launches.Failed as error:
            sys.exit(f"error: {error}")
    print(f"{len(bench.missed)} missed" + "".join(f"\n  {line}" for line in bench.missed))
    sys.exit(1 if bench.missed else 0)


if __name__ == "__main__":
    main()
