"""Calls bitsandbytes' library, as AMD's compiler built it, on the emulator and compares with numpy.

    run.py --library build/lib/emulator/libamdhip64.so

The package (with_packages.py) is on sys.path, stand-ins for hipBLAS on LD_LIBRARY_PATH. The emulator's variables apply.
"""
import ctypes
import importlib.util
import os
import pathlib
import sys

import numpy

I, F = ctypes.c_int, ctypes.c_float
NF4 = numpy.array([-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334,
                   -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
                   0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0], numpy.float32)  # Dettmers et al., QLoRA, 2023
random = numpy.random.default_rng(1)


class Library:
    def __init__(self, hip):
        self.hip = ctypes.CDLL(hip, mode=ctypes.RTLD_GLOBAL)
        self.hip.nstfEmulatorLastFault.restype = ctypes.c_char_p
        folder = pathlib.Path(importlib.util.find_spec("bitsandbytes").submodule_search_locations[0])
        self.library = ctypes.CDLL(str(folder / "libbitsandbytes_rocm72.so"))

    def call(self, name, *arguments):
        """Arrays are copied to the device and back."""
        cells, buffers = [], []
        for argument in arguments:
            if isinstance(argument, numpy.ndarray):
                pointer = ctypes.c_void_p()
                self.check(self.hip.hipMalloc(ctypes.byref(pointer), ctypes.c_size_t(argument.nbytes)))
                self.copy(pointer, argument.ctypes.data_as(ctypes.c_void_p), argument.nbytes, 1)
                buffers.append((argument, pointer))
                argument = pointer
            cells.append(argument)
        getattr(self.library, name)(*cells)
        self.check(self.hip.hipDeviceSynchronize())
        self.check(self.hip.hipGetLastError())
        for array, pointer in buffers:
            self.copy(array.ctypes.data_as(ctypes.c_void_p), pointer, array.nbytes, 2)
            self.check(self.hip.hipFree(pointer))

    def copy(self, to, source, bytes, direction):
        self.check(self.hip.hipMemcpy(to, source, ctypes.c_size_t(bytes), direction))

    def check(self, code):
        if code:
            raise SystemExit(f"error {code}: {(self.hip.nstfEmulatorLastFault() or b'').decode()}")


def expect(name, got, expected, tolerance=0.0):
    got, expected = numpy.asarray(got, numpy.float64), numpy.asarray(expected, numpy.float64)
    wrong = ~(numpy.abs(got - expected) <= tolerance * (1 + numpy.abs(expected)))
    if wrong.any():
        at = int(wrong.argmax())
        raise SystemExit(f"{name}: {wrong.sum()} of {wrong.size} wrong, first at {at}: expected {expected.flat[at]} but got {got.flat[at]}")
    print(f"ok {name}")


def blocks(values, size):
    padded = numpy.zeros(-(-values.size // size) * size, values.dtype)
    padded[: values.size] = values.reshape(-1)
    return padded.reshape(-1, size)


def quantize4(library, type, values, size):
    """To NF4: packed codes and each block's largest magnitude."""
    largest, packed = numpy.zeros(-(-values.size // size), numpy.float32), numpy.zeros((values.size + 1) // 2, numpy.uint8)
    library.call(f"cquantize_blockwise_{type}_nf4", None, values, largest, packed, I(size), I(values.size))
    return packed, largest


def codes_of(packed, count):
    return numpy.stack([packed >> 4, packed & 15], 1).reshape(-1)[:count]


def four_bits(library, type, count, size):
    values = random.standard_normal(count).astype(numpy.float32 if type == "fp32" else numpy.float16)
    packed, largest = quantize4(library, type, values, size)
    parts = blocks(values.astype(numpy.float32), size)
    expect(f"nf4 {type} {count}/{size}: scales", largest, numpy.abs(parts).max(1))
    relative = (parts / largest[:, None]).reshape(-1)[:count]
    codes = codes_of(packed, count)
    nearest = numpy.abs(relative[:, None] - NF4).min(1)
    expect(f"nf4 {type} {count}/{size}: codes are the nearest", numpy.abs(relative - NF4[codes]), nearest, 1e-6)
    back = numpy.zeros_like(values)
    library.call(f"cdequantize_blockwise_{type}_nf4", None, packed, largest, back, I(size), I(count), None)
    expect(f"nf4 {type} {count}/{size}: and back", back, (NF4[codes] * numpy.repeat(largest, size)[:count]).astype(values.dtype))


def eight_bits(library, count, size):
    table = numpy.sort(random.uniform(-1, 1, 256)).astype(numpy.float32)
    table[[0, -1]] = -1, 1
    values = random.standard_normal(count).astype(numpy.float32)
    largest, codes = numpy.zeros(-(-count // size), numpy.float32), numpy.zeros(count, numpy.uint8)
    library.call("cquantize_blockwise_fp32", table, values, largest, codes, I(size), I(count))
    parts = blocks(values, size)
    expect(f"8 bits {count}/{size}: scales", largest, numpy.abs(parts).max(1))
    relative = (parts / largest[:, None]).reshape(-1)[:count]
    expect(f"8 bits {count}/{size}: codes are the nearest", numpy.abs(table[codes] - relative),
           numpy.abs(relative[:, None] - table).min(1), 1e-6)


def vector_times_matrix(library, rows, depth, size):
    weights = random.standard_normal((rows, depth)).astype(numpy.float32)
    packed, largest = quantize4(library, "fp32", weights, size)
    x, y = random.standard_normal(depth).astype(numpy.float16), numpy.zeros(rows, numpy.float16)
    library.call("cgemm_4bit_inference_naive_fp16", I(rows), I(1), I(depth), x, packed, largest, NF4.copy(), y, I(rows), I(depth // 2),
                 I(rows), I(size), None)
    matrix = (NF4[codes_of(packed, weights.size)] * numpy.repeat(largest, size)).reshape(rows, depth)
    expect(f"vector times 4-bit matrix {rows}x{depth}", y, matrix @ x.astype(numpy.float32), 3e-2)  # sums in f16


def adam(library, count):
    gradient, weights = (random.standard_normal(count).astype(numpy.float32) for _ in range(2))
    first, second, update = numpy.zeros(count, numpy.float32), numpy.zeros(count, numpy.float32), numpy.zeros(1, numpy.float32)
    m, v = 0.1 * gradient, 0.001 * gradient * gradient
    correction = numpy.sqrt(1 - 0.999)
    expected = weights - 1e-3 * correction / (1 - 0.9) * m / (numpy.sqrt(v) + 1e-8 * correction)
    library.call("cadam32bit_grad_fp32", gradient, weights, first, second, update, F(0), F(0), F(0.9), F(0.999), F(0), F(0), F(1e-8), F(0),
                 I(1), F(1e-3), F(1), ctypes.c_bool(False), I(count))
    expect(f"adam {count}: weights", weights, expected, 1e-6)
    expect(f"adam {count}: moments", [first, second], [m, v], 1e-6)


def main():
    library = Library(sys.argv[sys.argv.index("--library") + 1])
    for type, count, size in (("fp32", 4096, 64), ("fp32", 1000, 64), ("fp16", 2048, 256), ("fp32", 9000, 4096)):
        four_bits(library, type, count, size)
    eight_bits(library, 4096, 256)
    vector_times_matrix(library, 64, 256, 64)
    adam(library, 3000)
    print(f"{os.environ.get('NSTF_EMU_TARGET')}: bitsandbytes' kernels agree with numpy")


if __name__ == "__main__":
    main()
