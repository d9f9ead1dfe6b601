"""Triton's kernels as launches of the emulator. Triton comes from PyPI, once, into the cache folder of its user."""

import dataclasses
import json
import os
import pathlib
import subprocess
import sys

from benchmarks import launches

PACKAGES = ["triton==3.6.0", "numpy==2.2.6"]
FOLDER = pathlib.Path(__file__).resolve().parent
SCALARS = {"i32": "i32", "fp32": "f32"}


class Unavailable(Exception):
    """There is no Triton here; the text says why."""


@dataclasses.dataclass
class Candidate:
    """A kernel in one configuration."""
    kernel: str
    groups: list      # of a launch
    arguments: list   # (name, Triton's type, value) in the kernel's order; of a pointer, which begins with *, the buffer's bytes
    constants: dict
    options: dict     # Triton's, such as num_warps

    @property
    def label(self):
        sizes = "x".join(str(value) for name, value in self.constants.items() if name in ("BM", "BN", "BK", "BLOCK"))
        return " ".join([sizes, *(f"{name} {value}" for name, value in self.options.items())])

    def request(self):
        return {"kernel": self.kernel, "constants": self.constants, "options": self.options,
                "arguments": [(name, type, type.startswith("*") or type == "i32" and value % 16 == 0)
                              for name, type, value in self.arguments]}

    def launch(self, code_object, target, compiled):
        buffers = {name: value for name, type, value in self.arguments if type.startswith("*")}
        arguments = [{"buffer": name} if name in buffers else {SCALARS[type]: value} for name, type, value in self.arguments]
        scratch = [{"bytes": "00" * 8}] * 2  # Triton's own pointers, which these kernels don't use
        return launches.Kernel(code_object, target, compiled["symbol"], self.groups, compiled["warps"] * 64, buffers,
                               arguments + scratch, dynamic_lds=compiled["lds"], compile_seconds=compiled["seconds"])


def _run(script, *words):
    """What a script that needs Triton prints, as JSON; throws Unavailable."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "nstf" / "triton-code"
    with_packages = launches.ROOT / "test" / "runtime" / "emulator" / "with_packages.py"
    done = subprocess.run([sys.executable, with_packages, *PACKAGES, "--", FOLDER / script, *words],
                          capture_output=True, text=True, env=dict(os.environ, TRITON_CACHE_DIR=str(cache)))
    if done.returncode:
        said = (done.stdout if done.returncode == 77 else done.stderr).strip().splitlines()
        raise Unavailable(said[-1] if said else f"{script} ended with {done.returncode}")
    return json.loads(done.stdout)


def compile(kernels, candidates, target, folder):
    """A launches.Kernel for each candidate, or the text why Triton can't make it; throws Unavailable."""
    requests = folder / "requests.json"
    requests.write_text(json.dumps([candidate.request() for candidate in candidates]))
    return [answer["error"] if "error" in answer else candidate.launch(folder / f"{i}.hsaco", target, answer)
            for i, (candidate, answer) in enumerate(zip(candidates, _run("compile.py", kernels, target, requests, folder)))]


def spaces(target):
    """In what configurations the emulator's tests compile their kernels (spaces.py); throws Unavailable."""
    return _run("spaces.py", target)
