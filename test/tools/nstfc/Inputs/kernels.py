"""Compiles every kernel that `nstfc kernel --list` names and runs it on the emulator as a C program would.

    kernels.py run TARGET FOLDER [NAME…] each against numpy, for fixed and for run-time rows, with guard zones around all memory
    kernels.py templates FOLDER KERNELS compiles each and looks that every file of templates/kernels is used by one
    kernels.py contract TARGET FOLDER   what templates/CONTRACT.md says of denormals, NaN, rows out of range

A kernel is launched through its header: the header becomes a small library by the C compiler, and this script hands that
library device addresses. A new description needs a line in CASES.
"""
import ctypes
import math
import os
import pathlib
import re
import subprocess
import sys

import numpy

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


def to_bits(values, kind):
    """Numbers as the bytes of a type; bf16 rounds to nearest even."""
    if kind == "bf16":
        bits = numpy.asarray(values, numpy.float32).view(numpy.uint32)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(numpy.uint16)
    return numpy.asarray(values).astype({"f32": numpy.float32, "f16": numpy.float16, "i32": numpy.int32}[kind])


def from_bits(array, kind):
    if kind == "bf16":
        return (array.astype(numpy.uint32) << 16).view(numpy.float32).astype(numpy.float64)
    return array.astype(numpy.float64) if kind != "i32" else array


class Kernel:
    """A compiled kernel with its header as a library."""

    def __init__(self, folder, target, kernel, options, extra=()):
        self.folder, self.target, self.kernel = folder, target, kernel
        self.object, header = folder / f"{kernel}.hsaco", folder / f"{kernel}.h"
        command = ["nstfc", "kernel", kernel, *options, f"--target={target}", "-o", self.object, "--header", header, *extra]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode or result.stderr:
            sys.exit(f"{' '.join(map(str, command))}\n{result.stderr}")
        self.said = result.stdout
        self.text = header.read_text()
        fields = re.search(r"typedef struct \w+_arguments \{(.*?)\}", self.text, re.S).group(1)
        self.arguments = []
        for about, field in re.findall(r"/\* (.*?) \*/\n  .*?\*(\w+);", fields, re.S):
            described = re.match(r"\w+: (\w+)(?: \(its bits\))? \[([^]]*)\]", about)
            shape = [int(size.split()[-1]) for size in described.group(2).split(",")] if described else [16]
            self.arguments.append((field, described.group(1) if described else "control", shape))
        self.varies = "rows_tile" in self.text

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
        library = self.folder / f"{name}.so"
        subprocess.run(["gcc", "-std=c99", "-shared", "-fPIC", *flags, source, "-lamdhip64", "-o", library], check=True)
        return library


def random(seed, shape):
    return numpy.random.default_rng(seed).uniform(-1, 1, shape)


def softmax(x):
    e = numpy.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def activate(x, kind):
    if kind == "gelu":
        return x * 0.5 * (1 + numpy.vectorize(math.erf)(x / math.sqrt(2)))
    if kind == "gelu_tanh":
        return x * 0.5 * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return {"none": x, "silu": x / (1 + numpy.exp(-x)), "relu": numpy.maximum(x, 0), "tanh": numpy.tanh(x)}[kind]


def product(activation):
    def compute(a, position):
        y = a["x"] @ a["w"].T + a.get("bias", 0)
        return activate(y, activation) + a.get("residual", 0)
    return compute


def rope(heads, head, rotary, interleaved):
    def compute(a, position):
        x = a["x"].reshape(len(a["x"]), heads, head)
        y, half = x.copy(), rotary // 2
        for i in range(len(x)):
            cosines, sines = a["table"][position + i, :half], a["table"][position + i, half:]
            low = numpy.arange(half) * 2 if interleaved else numpy.arange(half)
            high = low + 1 if interleaved else low + half
            y[i][:, low] = x[i][:, low] * cosines - x[i][:, high] * sines
            y[i][:, high] = x[i][:, high] * cosines + x[i][:, low] * sines
        return y.reshape(a["x"].shape)
    return compute


def attention(heads, kv_heads, head, causal, window=0):
    def compute(a, position):
        q = a["q"].reshape(-1, heads, head)
        k, v = (a.get(n + "_cache", a.get(n)).reshape(-1, kv_heads, head) for n in "kv")
        start = position if "k_cache" in a else 0
        y = numpy.zeros(q.shape)
        for i in range(len(q)):
            last = start + i + 1 if causal else len(k)
            first = max(0, last - window) if window else 0
            for h in range(heads):
                g = h // (heads // kv_heads)
                weights = softmax(k[first:last, g] @ q[i, h] / math.sqrt(head))
                y[i, h] = weights @ v[first:last, g]
        return y.reshape(a["q"].shape)
    return compute


def append(a, position):
    cache = a["cache"].copy()
    cache[position:position + len(a["rows"])] = a["rows"]
    return cache


def rms(a, position):
    x = a["x"].reshape(len(a["x"]), -1, len(a["weight"]))
    return (x * a["weight"] / numpy.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-5)).reshape(a["x"].shape)


def layer(a, position):
    x = a["x"] - a["x"].mean(axis=-1, keepdims=True)
    return x * a["weight"] / numpy.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-5) + a.get("bias", 0)


# kernel: (options without the rows, what it computes). Sizes that nothing divides.
CASES = {
    "add": [("--n=37", lambda a, p: a["a"] + a["b"]), ("--n=37 --type=f16", lambda a, p: a["a"] + a["b"])],
    "add_positions": [("--n=37 --positions=50 --offset=2", lambda a, p: a["x"] + a["table"][p + 2:p + 2 + len(a["x"])])],
    "argmax": [("--n=300", lambda a, p: a["x"].argmax(axis=-1))],
    "attention": [("--heads=4 --kv-heads=2 --head-size=20 --context=50", attention(4, 2, 20, True)),
                  ("--heads=3 --head-size=16 --causal=false", attention(3, 3, 16, False)),
                  ("--heads=2 --head-size=24 --context=50 --window=5 --type=bf16", attention(2, 2, 24, True, 5))],
    "convert": [("--n=37 --out-type=bf16", lambda a, p: a["x"]), ("--n=37 --type=f16 --out-type=f32", lambda a, p: a["x"])],
    "embedding": [("--n=37 --rows=19", lambda a, p: a["table"][a["ids"]]),
                  ("--n=40 --rows=19 --type=f16", lambda a, p: a["table"][a["ids"]])],
    "first_row": [("--n=37", lambda a, p: a["x"][:1])],
    "gelu": [("--n=37", lambda a, p: activate(a["x"], "gelu")), ("--n=37 --tanh", lambda a, p: activate(a["x"], "gelu_tanh"))],
    "kv_append": [("--n=37 --context=50", append), ("--n=37 --context=50 --type=f16", append)],
    "l2_normalize": [("--n=37", lambda a, p: a["x"] / numpy.sqrt((a["x"]**2).sum(axis=-1, keepdims=True)))],
    "last_row": [("--n=37", lambda a, p: a["x"][-1:])],
    "layer_norm": [("--n=37", layer), ("--n=37 --bias=false --out-type=f16", layer)],
    "matmul": [("--n=33 --k=20", product("none")),
               ("--n=96 --k=64 --bias --activation=silu --residual", product("silu")),
               ("--n=33 --k=20 --type=f16", product("none")),
               ("--n=70 --k=96 --type=bf16 --bias --activation=gelu", product("gelu")),
               ("--n=70 --k=96 --type=f16 --out-type=f32 --activation=relu --residual", product("relu"))],
    "matvec": [("--n=33 --k=20", product("none")), ("--n=70 --k=96 --type=f16 --bias --activation=tanh", product("tanh"))],
    "mean_rows": [("--n=37", lambda a, p: a["x"].mean(axis=0, keepdims=True))],
    "mul": [("--n=37", lambda a, p: a["a"] * a["b"])],
    "relu": [("--n=37 --type=bf16", lambda a, p: activate(a["x"], "relu"))],
    "rms_norm": [("--n=37", rms), ("--n=96 --group=24 --out-type=bf16", rms)],
    "rope": [("--heads=3 --head-size=12 --context=50", rope(3, 12, 12, False)),
             ("--heads=2 --head-size=16 --rotary=8 --context=50 --interleaved --out-type=f16", rope(2, 16, 8, True))],
    "silu": [("--n=37", lambda a, p: activate(a["x"], "silu"))],
    "softmax": [("--n=300", lambda a, p: softmax(a["x"]))],
    "swiglu": [("--n=37 --type=f16", lambda a, p: activate(a["gate"], "silu") * a["up"])],
    "tanh": [("--n=37", lambda a, p: activate(a["x"], "tanh"))],
}
TOLERANCE = {"f32": 2e-6, "f16": 1e-3, "bf16": 8e-3}
DTYPES = ("f32", "f16", "bf16", "i32")


def kind_of(kernel, name):
    return next(kind for field, kind, _ in kernel.arguments if field == name)


def in_child(arguments, target):
    """The emulator is one chip for the life of a process, and HIP is linked to a library of each kernel."""
    environment = dict(os.environ, NSTF_EMU_TARGET=target)
    subprocess.run([sys.executable, __file__, *map(str, arguments)], check=True, env=environment)


class Device:
    def __init__(self, library):
        self.library = ctypes.CDLL(str(library))
        self.library.hipMalloc.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t]
        self.library.hipMemcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

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


def launch(device, kernel, values, rows, position, tokens=None, spare=0):
    """Runs a kernel on a dictionary of numbers. Returns all arguments as they are afterwards; checks the guard zones."""
    arrays, addresses = {}, []
    for name, kind, shape in kernel.arguments:
        if kind == "control":
            inner = numpy.zeros(16, numpy.int32)
            inner[:2] = [rows if tokens is None else tokens, position]
        else:
            inner = to_bits(values[name], kind).ravel()
        guard = numpy.arange(GUARD).astype(inner.dtype)
        if inner.dtype == numpy.float16:
            inner, guard = inner.view(numpy.uint16), guard.view(numpy.uint16)
        # NaN on both sides: whoever reads it has it in the results.
        if kind in ("f32", "f16", "bf16"):
            bits = {"f32": 0x7FC00001, "f16": 0x7E01, "bf16": 0x7FC1}[kind]
            guard = numpy.full(GUARD, bits, numpy.uint32 if kind == "f32" else numpy.uint16).view(inner.dtype)
        arrays[name] = numpy.concatenate([guard, inner, guard])
        addresses.append(device.upload(arrays[name]) + GUARD * inner.itemsize)
    pointers = (ctypes.c_void_p * len(addresses))(*addresses)
    error = device.library.run(str(kernel.object).encode(), pointers, rows, spare)
    if error:
        sys.exit(f"{kernel.kernel}: expected a launch but got HIP error {error}")
    results = {}
    for (name, kind, shape), address in zip(kernel.arguments, addresses):
        before = arrays[name]
        after = device.download(address - GUARD * before.itemsize, before)
        for part in (slice(None, GUARD), slice(-GUARD, None)):
            if before[part].tobytes() != after[part].tobytes():
                sys.exit(f"{kernel.kernel}: expected {name}'s surroundings untouched")
        inner = after[GUARD:-GUARD]
        if kind == "f16":
            inner = inner.view(numpy.float16)
        if kind != "control":
            results[name] = from_bits(inner, kind).reshape(shape)
    return results


def poison(kernel, values, rows, most, position):
    """NaN where a kernel must not look: rows beyond those of the launch, and of a cache those of positions to come."""
    for name, kind, shape in kernel.arguments:
        if kind not in DTYPES or kind == "i32":
            continue
        if name.endswith("_cache"):
            values[name][position + rows:] = numpy.nan
        elif most and len(shape) == 2 and shape[0] == most and name != "w":
            values[name][rows:] = numpy.nan


def make_values(kernel):
    """Random numbers, as the type holds them."""
    values = {}
    for i, (name, kind, shape) in enumerate(kernel.arguments):
        if kind == "control":
            continue
        if kind == "i32":
            values[name] = numpy.random.default_rng(i).integers(0, 19, shape)
            continue
        values[name] = from_bits(to_bits(random(i, shape), kind), kind)
    return values


def run_case(folder, target, kernel, options, compute, rows, most, position):
    """`most`: run-time rows up to that many; otherwise the rows are fixed."""
    has_rows = kernel != "matvec"
    sizes = ([f"--max-m={most}"] if most else [f"--m={rows}"]) if has_rows else []
    compiled = Kernel(folder, target, kernel, [*options.split(), *sizes])
    reads_control = any(kind == "control" for _, kind, _ in compiled.arguments)
    if most and not reads_control and kernel != "first_row":
        sys.exit(f"{kernel}: expected a control block for run-time rows")
    device = Device(compiled.build())
    values = make_values(compiled)
    poison(compiled, values, rows, most, position)
    results = launch(device, compiled, values, rows, position)
    again = launch(device, compiled, values, rows, position, spare=3)
    if any(results[name].tobytes() != again[name].tobytes() for name in results):
        sys.exit(f"{kernel} {options}: expected the same bits from a launch with workgroups to spare")
    output = "cache" if kernel == "kv_append" else "y"
    kind = kind_of(compiled, output)
    # What belongs to the step's rows of what has a row for each.
    shapes = {name: shape for name, _, shape in compiled.arguments}
    capacity = most or rows
    steps = {name: value[:rows] if most and shapes[name][0] == most and name not in ("w", "weight", "bias") else value
             for name, value in values.items()}
    wanted = compute(steps, position if reads_control else 0)
    got, untouched = results[output], values[output]
    if capacity != rows and got.shape[0] == capacity and kernel != "kv_append":
        if not numpy.array_equal(got[rows:], untouched[rows:], equal_nan=True):
            sys.exit(f"{kernel} {options}: expected rows from {rows} on untouched")
        got = got[:rows]
    scale = max(1.0, float(numpy.abs(wanted).max()))
    operands = max((TOLERANCE.get(kind, 0) for name, kind, _ in compiled.arguments if name in ("q", "k", "v")), default=0)
    error = float(numpy.abs(got - wanted).max()) / scale
    # Weights of attention are rounded to the operands' type before the second product.
    rounded = "bf16" if "type=bf16" in options else "f16" if "type=f16" in options else "f32"
    limit = max(TOLERANCE.get(kind, 0), TOLERANCE[rounded] if kernel == "attention" else 0, operands)
    if got.shape != wanted.shape or not error <= limit:
        sys.exit(f"{kernel} {options}, {rows} rows of {most or 'fixed'}: expected {limit} but the error is {error}")
    for name, value in values.items():
        if name != output and not numpy.array_equal(results[name], value, equal_nan=kind_of(compiled, name) != "i32"):
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

    (folder / "small").mkdir(exist_ok=True)
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
    if mode == "run":
        target, folder = sys.argv[2], pathlib.Path(sys.argv[3])
        names = [name for name in listed() if not sys.argv[4:] or name in sys.argv[4:]]
        if not sys.argv[4:] and sorted(names) != sorted(CASES):
            sys.exit(f"expected cases for {sorted(names)} but got {sorted(CASES)}")
        number = 0
        for name in names:
            for case in range(len(CASES[name])):
                number += 1
                place = folder / f"{name}{case}"
                place.mkdir(parents=True, exist_ok=True)
                in_child(["case", target, place, name, case], target)
        print(f"run: {number} kernels on {target}")
    elif mode == "case":
        target, folder, name, case = sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4], int(sys.argv[5])
        options, compute = CASES[name][case]
        steps = [(7, None, 3), (5, 40, 2)] + ([(40, 40, 0)] if name in ("matmul", "attention") else [])
        for index, (rows, most, position) in enumerate(steps):
            place = folder / str(index)
            place.mkdir(exist_ok=True)
            run_case(place, target, name, options, compute, rows, most, position)
            if name == "matvec":
                break
    elif mode == "templates":
        folder, kernels = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
        used = set()
        for name in listed():
            options = CASES[name][0][0].split() + ([] if name == "matvec" else ["--m=7"])
            compiled = Kernel(folder, "gfx90a", name, options, ["--explain"])
            used |= set(re.findall(r"^  template +(\w+)", compiled.said, re.M))
        # Tensor code comes as a module (kernel-module.test).
        left = {template.stem for template in kernels.glob("*.mlir")} - used - {"generic"}
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
