"""AMD's own libraries, as Debian builds them, unchanged on the emulator and compared with numpy.

    run.py --rocrand librocrand.so.1 [--rocsparse librocsparse.so.0]

LD_LIBRARY_PATH leads to the emulator's libamdhip64.so.5. Debian's packages have code for gfx90a, not for gfx942. rocRAND
(librocrand1) is part of the tests; rocSPARSE (librocsparse0: 1.3 GB of code) is tried by hand.
"""
import argparse
import ctypes

import numpy

I, Size = ctypes.c_int, ctypes.c_size_t
random = numpy.random.default_rng(1)
hip = ctypes.CDLL("libamdhip64.so.5", mode=ctypes.RTLD_GLOBAL)
hip.nstfEmulatorLastFault.restype = ctypes.c_char_p


def check(what, code):
    if code:
        raise SystemExit(f"{what}: error {code}: {(hip.nstfEmulatorLastFault() or b'').decode()}")


def device(array):
    pointer = ctypes.c_void_p()
    check("hipMalloc", hip.hipMalloc(ctypes.byref(pointer), Size(max(array.nbytes, 1))))
    check("hipMemcpy", hip.hipMemcpy(pointer, array.ctypes.data_as(ctypes.c_void_p), Size(array.nbytes), 1))
    return pointer


def host(pointer, count, type):
    array = numpy.zeros(count, type)
    check("hipDeviceSynchronize", hip.hipDeviceSynchronize())
    check("hipMemcpy", hip.hipMemcpy(array.ctypes.data_as(ctypes.c_void_p), pointer, Size(array.nbytes), 2))
    return array


def expect(name, condition, detail=""):
    if not condition:
        raise SystemExit(f"{name}: wrong {detail}")
    print(f"ok {name}")


def philox(seed, counters):
    """Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011: Philox 4x32, ten rounds."""
    c = [counters.astype(numpy.uint64)] + [numpy.zeros_like(counters, dtype=numpy.uint64)] * 3
    k0, k1, low, shift = seed & 0xFFFFFFFF, seed >> 32, numpy.uint64(0xFFFFFFFF), numpy.uint64(32)
    for _ in range(10):
        p0, p1 = c[0] * numpy.uint64(0xD2511F53), c[2] * numpy.uint64(0xCD9E8D57)
        c = [p1 >> shift ^ c[1] ^ numpy.uint64(k0), p1 & low, p0 >> shift ^ c[3] ^ numpy.uint64(k1), p0 & low]
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return numpy.stack(c, 1).astype(numpy.uint32).reshape(-1)


def test_rocrand(path):
    library, count = ctypes.CDLL(path), 20000
    for name, kind in (("xorwow", 401), ("mrg32k3a", 402), ("mtgp32", 403), ("philox", 404), ("sobol32", 501)):
        generator, values = ctypes.c_void_p(), device(numpy.zeros(count, numpy.uint32))
        check(name, library.rocrand_create_generator(ctypes.byref(generator), kind))
        if kind < 500:
            check(name, library.rocrand_set_seed(generator, ctypes.c_ulonglong(12345)))
        check(name, library.rocrand_generate(generator, values, Size(count)))
        words = host(values, count, numpy.uint32)
        if name == "philox":
            expect("philox: each word", numpy.array_equal(words, philox(12345, numpy.arange(count // 4))))
        if name == "sobol32":
            expect("sobol32: its first points", list(words[:4]) == [0, 1 << 31, 3 << 30, 1 << 30], words[:4])
        check(name, library.rocrand_generate_uniform(generator, values, Size(count)))
        uniform = host(values, count, numpy.float32)
        # Four standard deviations of the mean of so many.
        expect(f"{name}: uniform", 0 < uniform.min() and uniform.max() <= 1 and abs(uniform.mean() - 0.5) < 0.0082, uniform.mean())
        check(name, library.rocrand_generate_normal(generator, values, Size(count), ctypes.c_float(1), ctypes.c_float(2)))
        normal = host(values, count, numpy.float32)
        expect(f"{name}: normal", abs(normal.mean() - 1) < 0.057 and abs(normal.std() - 2) < 0.04, (normal.mean(), normal.std()))
        check(name, library.rocrand_generate_poisson(generator, values, Size(count), ctypes.c_double(3.5)))
        poisson = host(values, count, numpy.uint32)
        expect(f"{name}: Poisson", abs(poisson.mean() - 3.5) < 0.053 and abs(poisson.var() - 3.5) < 0.16, (poisson.mean(), poisson.var()))
        check(name, library.rocrand_destroy_generator(generator))


def test_rocsparse(path):
    library, handle, description, information = ctypes.CDLL(path), *(ctypes.c_void_p() for _ in range(3))
    check("rocsparse_create_handle", library.rocsparse_create_handle(ctypes.byref(handle)))
    library.rocsparse_create_mat_descr(ctypes.byref(description))
    library.rocsparse_create_mat_info(ctypes.byref(information))
    rows, columns = 300, 200
    dense = numpy.where(random.random((rows, columns)) < 0.1, random.standard_normal((rows, columns)), 0).astype(numpy.float32)
    starts = numpy.concatenate([[0], numpy.cumsum((dense != 0).sum(1))]).astype(numpy.int32)
    places, values = numpy.nonzero(dense)[1].astype(numpy.int32), dense[dense != 0]
    count, x = len(values), random.standard_normal(columns).astype(numpy.float32)
    matrix = device(values), device(starts), device(places)
    one, zero, vector, result = ctypes.c_float(1), ctypes.c_float(0), device(x), device(numpy.zeros(rows, numpy.float32))
    size = (I(111), I(rows), I(columns), I(count))
    for adaptive in (False, True):
        if adaptive:
            check("analysis", library.rocsparse_scsrmv_analysis(handle, *size, description, *matrix, information))
        check("csrmv", library.rocsparse_scsrmv(handle, *size, ctypes.byref(one), description, *matrix,
                                                information if adaptive else None, vector, ctypes.byref(zero), result))
        error = numpy.abs(host(result, rows, numpy.float32) - dense @ x).max()
        expect(f"csrmv, {'adaptive' if adaptive else 'plain'}", error < 1e-5, error)
    order = numpy.concatenate([random.permutation(end - start) + start for start, end in zip(starts[:-1], starts[1:])])
    shuffled, bytes = places[order], Size()
    keys, permutation = device(shuffled), device(numpy.arange(count, dtype=numpy.int32))
    check("csrsort", library.rocsparse_csrsort_buffer_size(handle, *size[1:], matrix[1], keys, ctypes.byref(bytes)))
    check("csrsort", library.rocsparse_csrsort(handle, *size[1:], description, matrix[1], keys, permutation,
                                               device(numpy.zeros(bytes.value, numpy.uint8))))
    expect("csrsort", numpy.array_equal(host(keys, count, numpy.int32), places))
    expect("csrsort's permutation", numpy.array_equal(shuffled[host(permutation, count, numpy.int32)], places))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rocrand")
    parser.add_argument("--rocsparse")
    options = parser.parse_args()
    if options.rocrand:
        test_rocrand(options.rocrand)
    if options.rocsparse:
        test_rocsparse(options.rocsparse)


if __name__ == "__main__":
    main()
