"""Kernels as launches on the emulator: nstfc's as their headers say, another compiler's by its arguments."""

import dataclasses
import json
import os
import pathlib
import re
import subprocess

CONTROL_BYTES = 64
FLOATS = {"f32": 4, "f16": 2, "bf16": 2}  # bytes of an element
ROOT = pathlib.Path(__file__).resolve().parents[2]


class Failed(Exception):
    """A program ended with an error; the text is its first line."""


@dataclasses.dataclass
class Kernel:
    code_object: pathlib.Path
    target: str
    symbol: str
    groups: list                 # of a launch, along each dimension
    threads: int                 # of a workgroup
    buffers: dict                # bytes by name
    arguments: list              # as a launch file has them
    dynamic_lds: int = 0
    types: dict = dataclasses.field(default_factory=dict)       # of buffers' elements by name, where they are known
    control: tuple = ()          # what its control block begins with, where that isn't zeros: rows, position
    parameters: dict = dataclasses.field(default_factory=dict)  # tile sizes and others by name
    schedule: dict = dataclasses.field(default_factory=dict)    # texts of its fields by name, those that are said
    registers: int = 0           # of a lane that code names, AGPRs included
    compile_seconds: float = 0   # of a processor

    @property
    def workgroups(self):
        return self.groups[0] * self.groups[1] * self.groups[2]


def run(command, output=subprocess.DEVNULL, **options):
    """Runs a program and returns its processor seconds and largest memory in bytes; throws Failed."""
    process = subprocess.Popen(command, stdout=output, stderr=subprocess.PIPE, text=True, **options)
    error = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        lines = [line for line in error.splitlines() if "error" in line] or error.splitlines()
        raise Failed(lines[0].split("error: ", 1)[-1] if lines else f"{pathlib.Path(command[0]).name} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def nstf_kernel(build, words, target, folder, chip=None, control=()):
    """What `nstfc kernel WORDS` makes for a target, which may be a file that describes `chip`; throws Failed."""
    chip = chip or target
    code_object, header, explanation = folder / "kernel.hsaco", folder / "kernel.h", folder / "kernel.txt"
    with explanation.open("w") as output:
        seconds, _ = run([build / "bin" / "nstfc", "kernel", *words, f"--target={target}", "-o", code_object,
                          "--header", header, "--explain"], output)
    text = header.read_text()
    threads, groups = re.search(rf'{{"{chip}", (\d+), \d+, (\d+)}}', text).groups()
    buffers = {name: int(size or CONTROL_BYTES)
               for name, size in re.findall(r"/\* (\w+): (?:[^;]*; (\d+) bytes[;,] |run scalars)", text)}
    types = dict(re.findall(r"/\* (\w+): (\w+) [^;]*; \d+ bytes[;,]", text))
    explained = explanation.read_text()
    parameters = re.search(r"^  parameters +(.*)$", explained, re.MULTILINE).group(1)
    schedule = re.search(r"^  schedule +(.*)$", explained, re.MULTILINE).group(1)
    registers = re.search(r"^  registers +(\d+) V, (\d+) A", explained, re.MULTILINE).groups()
    return Kernel(code_object, chip, re.search(r'_SYMBOL "(\w+)"', text).group(1), [int(groups), 1, 1], int(threads), buffers,
                  [{"buffer": name} for name in buffers], types=types, control=control,
                  parameters={name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", parameters)},
                  schedule=dict(re.findall(r"(\w+)=(\w+)", schedule)),
                  registers=sum(map(int, registers)), compile_seconds=seconds)


def listing(build, *words):
    """What `nstf-emu WORDS` says of its one code object, as JSON; throws Failed."""
    return json.loads(_text(build, *words))["code_objects"][0]


def disassembly(build, kernel, *options):
    """The text of `nstf-emu disasm`; throws Failed."""
    return _text(build, "disasm", kernel.code_object, *options)


def _text(build, *words):
    done = subprocess.run([build / "bin" / "nstf-emu", *words], capture_output=True, text=True)
    if done.returncode:
        raise Failed(done.stderr.strip())
    return done.stdout


def with_code_object(build, kernel, code_object):
    """The same launch of another code object's only kernel; throws Failed."""
    kernels = listing(build, "list", code_object, "--json")["kernels"]
    if len(kernels) != 1:
        raise Failed(f"{code_object}: expected one kernel but got {len(kernels)}")
    return dataclasses.replace(kernel, code_object=code_object.resolve(), symbol=kernels[0]["kernel"])


def _buffer(kernel, name, size, random):
    if random and kernel.types.get(name) in FLOATS:
        root = 3 ** 0.5  # even numbers up to there have a variance of 1
        return {"type": kernel.types[name], "shape": [size // FLOATS[kernel.types[name]]],
                "init": {"random": {"seed": 1 + list(kernel.buffers).index(name), "low": -root, "high": root}}}
    if name != "control" or not kernel.control:
        return {"type": "u8", "shape": [size], "init": "zeros"}
    return {"type": "i32", "shape": [size // 4], "init": {"values": [*kernel.control] + [0] * (size // 4 - len(kernel.control))}}


def write_launch(kernel, path, groups=None, repeat=1, random=False):
    """A launch file of zeros, or of random numbers where they are floats, but for the control block; `repeat` times the same;
    of `groups` workgroups only where they are given."""
    path.write_text(json.dumps({  # JSON is YAML
        "code_object": str(kernel.code_object), "target": kernel.target,
        "buffers": {name: _buffer(kernel, name, size, random) for name, size in kernel.buffers.items()},
        "launches": [{"kernel": kernel.symbol, "grid": [groups, 1, 1] if groups else kernel.groups,
                      "block": [kernel.threads, 1, 1], "dynamic_lds": kernel.dynamic_lds, "args": kernel.arguments,
                      "repeat": repeat}]}))
    return path


def reports(build, launch, *options):
    """Runs a launch file and returns its launches' reports; throws Failed."""
    report = launch.with_suffix(".json")
    run([build / "bin" / "nstf-emu", "run", launch, f"--report={report}", *options])
    return json.loads(report.read_text())["launches"]


def emulate(build, launch, *options):
    """The report of a launch file's only launch; throws Failed."""
    return reports(build, launch, *options)[0]
