"""Every kernel of `nstfc kernel --list`, in each type, for an odd and an even width, on memory that ends where its rows do.

    kernel_memory.py FOLDER TARGET…

Each kernel is compiled once for up to 128 rows and all targets, and launched with 1, 5 and 128 on buffers that begin and
end with their allocations; two graphs of tensor code likewise. Run it under NSTF_EMU_CHECK=all,hazard:strict
and NSTF_EMU_CHECK_EXIT=1: a byte touched beyond is
a finding.
"""
import concurrent.futures
import ctypes
import os
import pathlib
import re
import subprocess
import sys

from kernel_cases import CASES, attention, check_result, rope
from kernels import Device, Kernel, launch, listed, make_values

MOST = 128  # rows
ROWS = (1, 5, MOST)
WIDTHS = (37, 40)
POSITION = 2
KINDS = ("f32", "f16", "bf16")
TENSORS = {"tensor_difference": lambda a, p: a["a"] - a["b"], "tensor_maxima": lambda a, p: a["a"].max(axis=-1)}


class Hip(Device):
    """Launches by the numbers in a kernel's header, so that one process can run them all."""

    def __init__(self, target):
        super().__init__("libamdhip64.so")
        self.target = target

    def run(self, kernel, pointers, rows, spare):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        symbol = re.search(r'_SYMBOL "(\w+)"', kernel.text).group(1)
        numbers = re.search(rf'{{"{self.target}", ([\d, ]+)}}', kernel.text).group(1)
        items, _, groups, *growth = map(int, numbers.split(","))
        if growth:
            groups *= -(-rows * growth[0] // growth[1])
        values = [ctypes.c_void_p(address) for address in pointers]
        arguments = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        self.check(self.library.hipModuleLoad(ctypes.byref(module), str(kernel.object).encode()))
        self.check(self.library.hipModuleGetFunction(ctypes.byref(function), module, symbol.encode()))
        error = self.library.hipModuleLaunchKernel(function, groups, 1, 1, items, 1, 1, 0, None, arguments, None)
        error = error or self.library.hipDeviceSynchronize()
        self.check(self.library.hipModuleUnload(module))
        return error


def sized(kernel, width):
    """Options and computation of each case, of this width and without a type."""
    if kernel == "attention":
        return [(f"--heads=2 --kv-heads=1 --head-size={width} --context=140", attention(2, 1, width, True)),
                (f"--heads=2 --head-size={width} --causal=false", attention(2, 2, width, False))]
    if kernel == "rope":
        return [(f"--heads=2 --head-size={width} --rotary=8 --context=140", rope(2, width, 8, False))]
    options, compute = CASES[kernel][0]
    options = re.sub(r"--(out-)?type=\w+", "", options)
    options = re.sub(r"--([nk])=\d+", rf"--\1={width}", options)
    return [(re.sub(r"--(context|positions)=\d+", r"--\1=140", options), compute)]


def cases(folder):
    """Folder, kernel, options and computation of all."""
    for graph, compute in TENSORS.items():
        text = (pathlib.Path(__file__).parent / f"{graph}.mlir").read_text()
        for kind in KINDS:
            for width in WIDTHS:
                place = folder / f"{graph}-{kind}-{width}"
                place.mkdir(parents=True, exist_ok=True)
                file = place / f"{graph}.mlir"
                file.write_text(text.replace("WIDTH", str(width)).replace("TYPE", kind))
                yield place, file, [], compute
    text = subprocess.run(["nstfc", "kernel", "--list"], capture_output=True, text=True, check=True).stdout
    for kernel in listed():
        takes = re.search(rf"^{kernel}: .*\n(?: +--.*\n?)*", text, re.M).group(0)
        flags = [flag for flag in ("--type", "--out-type") if f" {flag}=" in takes]
        if " --x-type=" in takes:  # type is then that of codes
            flags = ["--x-type"]
        rows = f"--max-m={MOST}" if " --m=" in takes else ""
        for kind in KINDS if flags else ("",):
            types = " ".join(f"{flag}={kind}" for flag in flags)
            if kernel == "convert":
                types = f"--type={kind} --out-type={'f32' if kind == 'f16' else 'f16'}"
            for width in WIDTHS:
                for index, (options, compute) in enumerate(sized(kernel, width)):
                    place = folder / f"{kernel}{index}-{kind}-{width}"
                    yield place, kernel, f"{options} {types} {rows}".split(), compute


def run(device, kernel, options, compute, rows):
    values = {name: value[:rows] if name in kernel.stepped else value for name, value in make_values(kernel).items()}
    results = launch(device, kernel, values, rows, POSITION, room=0)
    output = "cache" if kernel.kernel == "kv_append" else "y"
    wanted = compute(values, POSITION if "control" in kernel.kinds else 0)
    for name, numbers in (wanted if isinstance(wanted, dict) else {output: wanted}).items():
        check_result(kernel.kernel, f"{' '.join(options)}, {rows} rows", kernel.kinds, name, results[name], numbers)


def run_all(folder, target):
    """In a process of its own: the emulator is one chip for the life of it."""
    device, launches = Hip(target), 0
    for place, kernel, options, compute in cases(folder):
        compiled = Kernel(place, target, kernel, None)
        for rows in (1,) if kernel == "matvec" else ROWS:
            run(device, compiled, options, compute, rows)
            launches += 1
    print(f"memory: {launches} launches on {target}")


def main():
    folder, targets = pathlib.Path(sys.argv[1]), sys.argv[2:]
    if os.environ.get("NSTF_EMU_TARGET") == targets[0]:
        return run_all(folder, targets[0])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda case: Kernel(case[0], ",".join(targets), case[1], case[2]), cases(folder)))
    for target in targets:
        environment = dict(os.environ, NSTF_EMU_TARGET=target)
        subprocess.run([sys.executable, __file__, folder, target], check=True, env=environment)


if __name__ == "__main__":
    main()
