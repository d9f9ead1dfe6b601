"""Compiles every kernel that `nstfc kernel --list` names and runs it on the emulator as a C program would.

    kernels.py run TARGETS FOLDER [NAME…] each against numpy, for fixed and for run-time rows, with guard zones around all
                                        memory; a kernel is compiled once for all targets, A,B
    kernels.py templates FOLDER KERNELS compiles the first case of each, runs its launch file, and looks that every file of
                                        templates/kernels is used by one of them or of the other cases
    kernels.py contract TARGET FOLDER   what templates/CONTRACT.md says of denormals, NaN, rows out of range

A kernel is launched through its header: the header becomes a small library by the C compiler, and this script hands that
library device addresses. A new description needs a line in CASES.
"""
import concurrent.futures
import ctypes
import os
import pathlib
import re
import subprocess
import sys

import numpy

from kernel_cases import CASES, DTYPES, check_result, from_bits, random, to_bits

GUARD = 256  # elements before and after what a kernel may touch
# One launch as the header does it; a second one by hand, by pointers to the arguments and with workgroups to spare.
SHIM = """#include <hip/hip_runtime_api.h>
#include "%(name)s.h"
int run(const char *file, void *const *arguments, uint32_t rows, uint32_t spare) {
  hipDeviceProp_t properties;
  hipModule_t module;
  hipFunction_t function;
  %(name)s_arguments fields;
  void *pointers[sizeof fields / sizeof(void *)];
  const %(name)s_target *target;
  size_t i;
  int error;
  (void)rows;
  for (i = 0; i < sizeof fields; ++i)
    ((char *)&fields)[i] = ((const char *)arguments)[i];
  for (i = 0; i < sizeof fields / sizeof(void *); ++i)
    pointers[i] = (char *)&fields + i * sizeof(void *);
  if ((error = hipGetDeviceProperties(&properties, 0)) != 0 || (error = hipModuleLoad(&module, file)) != 0)
    return error;
  target = %(name)s_find_target(properties.gcnArchName);
  if (!target)
    return -1;
  if ((error = hipModuleGetFunction(&function, module, %(capitals)s_SYMBOL)) != 0)
    return error;
  error = spare ? hipModuleLaunchKernel(function, %(name)s_workgroups(target%(rows)s) + spare, 1, 1, target->workgroup_size,
                                        1, 1, 0, NULL, pointers, NULL)
                : %(name)s_launch(function, target, &fields%(rows)s, NULL);
  if (error != 0 || (error = hipDeviceSynchronize()) != 0)
    return error;
  return hipModuleUnload(module);
}
"""


class OperandOrder:
    """A cache in blocks of 16 rows and 64 bytes of each, 16 bytes of a row after those of the row before: 4 of every 16 columns.
    Scales: transposed, row by row."""

    def __init__(self, operand, heads, matrix):
        self.operand, self.heads, self.matrix = operand, heads, matrix

    def places(self, shape, itemsize):
        """Of each element of the cache."""
        position, feature = numpy.indices(shape)
        if self.operand == "scales":
            return feature * self.matrix[1] + position
        stride = self.matrix[0 if self.operand == "values" else 1] // self.heads
        size = shape[1] // self.heads
        row, column = position, feature // size * stride + feature % size
        if self.operand == "values":
            row, column = column, row
        across, granule = 64 // itemsize, 16 // itemsize
        in_granule = column % across // 16 * 4 + column % 4
        block = row // 16 * (self.matrix[1] // across) + column // across
        return block * 16 * across + column % 16 // 4 * 16 * granule + row % 16 * granule + in_granule

    def pack(self, cache):
        packed = numpy.zeros(self.matrix, cache.dtype).ravel()
        packed[self.places(cache.shape, cache.itemsize)] = cache
        return packed

    def unpack(self, packed, shape):
        places = self.places(shape, packed.itemsize)
        rest = numpy.ones(packed.size, bool)
        rest[places] = False
        if packed[rest].view(f"u{packed.itemsize}").any():
            sys.exit("expected zeros where a cache in operand order holds nothing")
        return packed[places]


class Kernel:
    """A kernel compiled for a target or several, A,B, made here or, without options, before; and its header as a library."""

    def __init__(self, folder, target, kernel, options, extra=()):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.target, self.kernel = folder, target, pathlib.Path(kernel).stem  # one of the list, or a file
        self.object, header = folder / f"{self.kernel}.hsaco", folder / f"{self.kernel}.h"
        self.said = "" if options is None else self.compile(kernel, options, header, extra)
        self.text = header.read_text()
        fields = re.search(r"typedef struct \w+_arguments \{(.*?)\}", self.text, re.S).group(1)
        self.orders = {}
        self.arguments, self.stepped = [], set()  # stepped: those with a row for each of the launch's
        for about, field in re.findall(r"/\* (.*?) \*/\n  .*?\*(\w+);", fields, re.S):
            described = re.match(r"\w+: (\w+)(?: \(its bits\))? \[([^]]*)\]", about)
            shape = [int(size.split()[-1]) for size in described.group(2).split(",")] if described else [16]
            ordered = re.search(r"of the cache \[(\d+), (\d+)\] \((keys|values|scales) in operand order, (\d+) head", about)
            if ordered:
                positions, features, heads = int(ordered.group(1)), int(ordered.group(2)), int(ordered.group(4))
                self.orders[field] = OperandOrder(ordered.group(3), heads, shape)
                shape = [positions, features]
            self.arguments.append((field, described.group(1) if described else "control", shape))
            if described and "up to" in described.group(2):
                self.stepped.add(field)
        self.kinds = {name: kind for name, kind, _ in self.arguments}
        self.varies = "rows_tile" in self.text
        self.library = folder / f"{self.kernel}.so"

    def compile(self, kernel, options, header, extra):
        command = ["nstfc", "kernel", kernel, *options, f"--target={self.target}", "-o", self.object, "--header", header,
                   *extra]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode or result.stderr:
            sys.exit(f"{' '.join(map(str, command))}\n{result.stderr}")
        return result.stdout

    def build(self):
        name = self.kernel
        source = self.folder / f"{name}.c"
        source.write_text(SHIM % {"name": name, "capitals": name.upper(), "rows": ", rows" if self.varies else ""})
        flags = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-D__HIP_PLATFORM_AMD__", f"-I{self.folder}"]
        # Alone it needs no HIP, in C and in C++, and two in one file do not mind.
        alone = self.folder / f"{name}_alone.c"
        alone.write_text(f'#include "{name}.h"\n#include "{name}.h"\nint main(void) {{ return 0; }}\n')
        subprocess.run(["gcc", "-std=c99", "-fsyntax-only", *flags, alone], check=True)
        subprocess.run(["g++", "-std=c++11", "-fsyntax-only", *flags, "-x", "c++", alone], check=True)
        subprocess.run(["gcc", "-std=c99", "-shared", "-fPIC", *flags, source, "-lamdhip64", "-o", self.library], check=True)
        return self.library


def in_child(arguments, target):
    """The emulator is one chip for the life of a process."""
    environment = dict(os.environ, NSTF_EMU_TARGET=target)
    subprocess.run([sys.executable, __file__, *map(str, arguments)], check=True, env=environment)


class Device:
    def __init__(self, library):
        self.library = ctypes.CDLL(str(library))
        self.library.hipMalloc.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t]
        self.library.hipMemcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

    def run(self, kernel, pointers, rows, spare):
        return self.library.run(str(kernel.object).encode(), pointers, rows, spare)

    def check(self, error):
        if error:
            sys.exit(f"expected success but got HIP error {error}")

    def upload(self, array):
        memory = ctypes.c_void_p()
        self.check(self.library.hipMalloc(ctypes.byref(memory), array.nbytes))
        self.check(self.library.hipMemcpy(memory, array.ctypes.data, array.nbytes, 1))
        return memory.value

    def download(self, memory, array):
        result = numpy.empty_like(array)
        self.check(self.library.hipMemcpy(result.ctypes.data, memory, array.nbytes, 2))
        return result


def launch(device, kernel, values, rows, position, tokens=None, spare=0, room=GUARD):
    """Runs a kernel on a dictionary of numbers. Returns all arguments as they are afterwards; checks the guard zones, which
    are `room` elements on both sides of each."""
    arrays, addresses = {}, []
    for name, kind, shape in kernel.arguments:
        if kind == "control":
            inner = numpy.zeros(16, numpy.int32)
            inner[:2] = [rows if tokens is None else tokens, position]
        else:
            inner = to_bits(values[name], kind)
            inner = kernel.orders[name].pack(inner) if name in kernel.orders else inner.ravel()
        guard = numpy.arange(room).astype(inner.dtype)
        if inner.dtype == numpy.float16:
            inner, guard = inner.view(numpy.uint16), guard.view(numpy.uint16)
        # NaN on both sides: whoever reads it has it in the results.
        if kind in ("f32", "f16", "bf16"):
            bits = {"f32": 0x7FC00001, "f16": 0x7E01, "bf16": 0x7FC1}[kind]
            guard = numpy.full(room, bits, numpy.uint32 if kind == "f32" else numpy.uint16).view(inner.dtype)
        arrays[name] = numpy.concatenate([guard, inner, guard])
        addresses.append(device.upload(arrays[name]) + room * inner.itemsize)
    if error := device.run(kernel, (ctypes.c_void_p * len(addresses))(*addresses), rows, spare):
        sys.exit(f"{kernel.kernel}: expected a launch but got HIP error {error}")
    results = {}
    for (name, kind, shape), address in zip(kernel.arguments, addresses):
        before = arrays[name]
        after = device.download(address - room * before.itemsize, before)
        inner = after[room:len(after) - room]
        for part in (slice(None, room), slice(len(after) - room, None)):
            if before[part].tobytes() != after[part].tobytes():
                sys.exit(f"{kernel.kernel}: expected {name}'s surroundings untouched")
        if kind == "f16":
            inner = inner.view(numpy.float16)
        if name in kernel.orders:
            inner = kernel.orders[name].unpack(inner, values[name].shape)
        if kind != "control":
            results[name] = from_bits(inner, kind).reshape(values[name].shape)
    return results


def poison(kernel, values, rows, position):
    """NaN where a kernel must not look: rows beyond those of the launch, and of a cache those of positions to come."""
    for name, kind, shape in kernel.arguments:
        if kind not in DTYPES or kind in ("i32", "i8"):
            continue
        if name.endswith(("_cache", "_scales")):
            values[name][position + rows:] = numpy.nan
        elif name in kernel.stepped:
            values[name][rows:] = numpy.nan


def make_values(kernel):
    """Random numbers, as the type holds them."""
    values = {}
    for i, (name, kind, shape) in enumerate(kernel.arguments):
        if kind == "control":
            continue
        if kind in ("i32", "i8"):  # ids, or any bytes
            values[name] = numpy.random.default_rng(i).integers(*((0, 19) if kind == "i32" else (-128, 128)), shape)
            continue
        values[name] = from_bits(to_bits(random(i, shape), kind), kind)
    return values


def cases(folder, names):
    """Of each case and number of rows: folder, kernel, its options with and without the rows, what it computes, the rows,
    the most there can be (None: they are fixed), the position."""
    for name in names:
        for case, (options, compute) in enumerate(CASES[name]):
            steps = [(7, None, 3), (5, 40, 2)] + ([(40, 40, 0)] if name in ("matmul", "attention") else [])
            for index, (rows, most, position) in enumerate(steps[:1] if name == "matvec" else steps):
                size = [] if name == "matvec" else [f"--max-m={most}"] if most else [f"--m={rows}"]
                yield (folder / f"{name}{case}" / str(index), name, [*options.split(), *size], options, compute, rows, most,
                       position)


def run_case(target, folder, kernel, options, compute, rows, most, position):
    compiled = Kernel(folder, target, kernel, None)
    reads_control = any(kind == "control" for _, kind, _ in compiled.arguments)
    if most and not reads_control and kernel != "first_row":
        sys.exit(f"{kernel}: expected a control block for run-time rows")
    device = Device(compiled.library)
    values = make_values(compiled)
    poison(compiled, values, rows, position)
    results = launch(device, compiled, values, rows, position)
    again = launch(device, compiled, values, rows, position, spare=3)
    if any(results[name].tobytes() != again[name].tobytes() for name in results):
        sys.exit(f"{kernel} {options}: expected the same bits from a launch with workgroups to spare")
    output = "cache" if kernel == "kv_append" else "y"
    # What belongs to the step's rows of what has a row for each.
    steps = {name: value[:rows] if name in compiled.stepped else value for name, value in values.items()}
    wanted = compute(steps, position if reads_control else 0)
    if not isinstance(wanted, dict):  # of several outputs each by its name
        wanted = {output: wanted}
    for output in wanted:
        got, untouched = results[output], values[output]
        if output in compiled.stepped:
            if not numpy.array_equal(got[rows:], untouched[rows:], equal_nan=compiled.kinds[output] != "i8"):
                sys.exit(f"{kernel} {options}: expected rows from {rows} on untouched")
            got = got[:rows]
        check_result(kernel, f"{options}, {rows} rows of {most or 'fixed'}", compiled.kinds, output, got, wanted[output])
    for name, value in values.items():
        if name not in wanted and not numpy.array_equal(results[name], value, equal_nan=compiled.kinds[name] not in ("i32", "i8")):
            sys.exit(f"{kernel}: expected input {name} untouched")


def listed():
    text = subprocess.run(["nstfc", "kernel", "--list"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^(\w+): ", text, re.M)


def contract(folder, target):
    """Each line is a promise of templates/CONTRACT.md."""
    kernel = Kernel(folder, target, "add", ["--m=3", "--n=5"])
    device = Device(kernel.build())
    tiny = numpy.full((3, 5), 1e-40)
    y = launch(device, kernel, {"a": tiny, "b": tiny, "y": tiny}, 3, 0)["y"]
    assert (y > 1.9e-40).all(), "f32 denormals are kept"

    kernel = Kernel(folder, target, "matmul", ["--max-m=40", "--n=20", "--k=30"])
    device = Device(kernel.build())
    values = make_values(kernel)
    whole = launch(device, kernel, values, 40, 0)["y"]
    (folder / "whole.bin").write_bytes(whole.tobytes())
    again = launch(device, kernel, values, 40, 0)["y"]
    assert whole.tobytes() == again.tobytes(), "bits are the same from launch to launch"
    poisoned = dict(values, x=values["x"].copy())
    poisoned["x"][7] = numpy.nan
    y = launch(device, kernel, poisoned, 40, 0)["y"]
    assert numpy.isnan(y[7]).all() and numpy.array_equal(numpy.delete(y, 7, 0), numpy.delete(whole, 7, 0)), \
        "a NaN stays in its row"
    part = launch(device, kernel, values, 13, 0)["y"]
    assert numpy.array_equal(part[:13], whole[:13]), "a row's bits do not depend on how many rows there are"
    for tokens in (0, -1, 41, 2**31 - 1):  # the guard zones of launch() are the check
        y = launch(device, kernel, values, 40, 0, tokens=tokens)["y"]
        assert tokens != 0 or numpy.array_equal(y, values["y"]), "no rows: nothing is written"

    kernel = Kernel(folder / "small", target, "matmul", ["--m=16", "--n=16", "--k=16"])
    device = Device(kernel.build())
    small = numpy.full((16, 16), 2.0**-130)
    y = launch(device, kernel, {"x": small, "w": numpy.ones((16, 16)), "y": small}, 16, 0)["y"]
    assert numpy.array_equal(y, 16 * small), "denormals of f32 are kept in products"

    kernel = Kernel(folder, target, "kv_append", ["--m=4", "--n=8", "--context=10"])
    device = Device(kernel.build())
    values = make_values(kernel)
    cache = launch(device, kernel, values, 4, 8)["cache"]
    assert numpy.array_equal(cache[8:], values["rows"][:2]) and numpy.array_equal(cache[:8], values["cache"][:8]), \
        "rows past the cache's end are dropped"

    kernel = Kernel(folder, target, "embedding", ["--m=3", "--n=8", "--rows=5"])
    device = Device(kernel.build())
    values = make_values(kernel)
    values["ids"] = numpy.array([4, 5, -1])
    y = launch(device, kernel, values, 3, 0)["y"]
    assert numpy.array_equal(y[0], values["table"][4]) and not y[1:].any(), "an id outside the table gives zeros"
    print("contract: kept")


def main():
    mode = sys.argv[1]
    if mode in ("run", "launch"):
        targets, folder = sys.argv[2], pathlib.Path(sys.argv[3])
        names = [name for name in listed() if not sys.argv[4:] or name in sys.argv[4:]]
        if not sys.argv[4:] and sorted(names) != sorted(CASES):
            sys.exit(f"expected cases for {sorted(names)} but got {sorted(CASES)}")
        if mode == "run":
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                list(pool.map(lambda case: Kernel(case[0], targets, case[1], case[2]).build(), cases(folder, names)))
            for target in targets.split(","):
                in_child(["launch", target, *sys.argv[3:]], target)
        else:
            for place, name, _, *case in cases(folder, names):
                run_case(targets, place, name, *case)
            print(f"run: {sum(len(CASES[name]) for name in names)} kernels on {targets}")
    elif mode == "templates":
        folder, kernels = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
        # Tensor code comes as a module (kernel-module.test).
        used, left = set(), {template.stem for template in kernels.glob("*.mlir")} - {"generic"}
        firsts = [(name, CASES[name][0]) for name in listed()]
        others = [(name, case) for name in listed() for case in CASES[name][1:]]
        for number, (name, (options, _)) in enumerate(firsts + others):
            if number >= len(firsts) and not left:
                break
            launch_file = folder / f"{name}.yaml"
            compiled = Kernel(folder, "gfx90a", name, options.split() + ([] if name == "matvec" else ["--m=7"]),
                              ["--explain", "--launch", launch_file])
            subprocess.run(["nstf-emu", "run", launch_file, "--check=all,hazard:strict", "--quiet"], check=True)
            used |= set(re.findall(r"^  template +(\w+)", compiled.said, re.M))
            left -= used
        if left:
            sys.exit(f"expected every template in a kernel of nstfc kernel but got none with {sorted(left)}")
        print(f"templates: {len(used)} used")
    else:
        target, folder = sys.argv[2], pathlib.Path(sys.argv[3])
        if os.environ.get("NSTF_EMU_TARGET") != target:
            return in_child(["contract", target, folder], target)
        contract(folder, target)


if __name__ == "__main__":
    main()
