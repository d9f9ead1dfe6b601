"""Compiles Triton's kernels for a chip, runs them on the emulator and compares with numpy.

    run.py --target gfx942 --library build/lib/emulator/libamdhip64.so [--all] [--keep FOLDER] [FILTER…]

Without --all: a sample. FILTER: parts of cases' names. --keep leaves each code object in FOLDER. The emulator's variables
(NSTF_EMU_CHECK …) apply. Exit status 1 if a case fails.
"""
import argparse
import os
import pathlib
import sys
import time
import traceback

import numpy

FORMATS = {"i32": "i", "fp32": "f"}


def compile_case(case, target):
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from floats import type_of

    signature, attributes = {}, {}
    for place, name in enumerate(case["kernel"].arg_names):
        if name in case["constants"]:
            signature[name] = "constexpr"
            continue
        argument = case["arguments"][name]
        if isinstance(argument, tuple):
            signature[name] = argument[0]
            if argument[0] == "i32" and argument[1] % 16 == 0:
                attributes[(place,)] = [["tt.divisibility", 16]]
        else:  # as Triton's own launcher finds for arrays of less than 2 GiB
            signature[name] = "*" + type_of(argument)
            attributes[(place,)] = [["tt.divisibility", 16], ["tt.pointer_range", 32]]
    source = ASTSource(fn=case["kernel"], signature=signature, constexprs=case["constants"], attrs=attributes)
    return triton.compile(source, target=GPUTarget("hip", target, 64), options=case["options"])


def run(case, target, device, keep):
    from floats import Float, decode

    compiled = compile_case(case, target)
    if keep:
        (keep / f"{case['name']}.{target}.hsaco".replace(" ", "")).write_bytes(compiled.asm["hsaco"])
    arguments = {}
    for name in case["kernel"].arg_names:
        argument = case["arguments"].get(name)
        if name in case["constants"]:
            continue
        if isinstance(argument, tuple):
            argument = (FORMATS[argument[0]], argument[1])
        arguments[name] = argument.bits if isinstance(argument, Float) else argument
    metadata = compiled.metadata
    scratch = [None, None]  # Triton's own pointers, which these kernels don't use
    device.launch(compiled.asm["hsaco"], metadata.name, case["grid"], metadata.num_warps * 64, metadata.shared,
                  list(arguments.values()) + scratch)
    for name, (expected, tolerance) in case["outputs"].items():
        got = decode(case["arguments"][name])
        if callable(expected):
            got, expected = expected(got), numpy.zeros_like(got)
        expected = numpy.asarray(expected, numpy.float64)
        there = ~numpy.isnan(expected)
        error = numpy.where(there, numpy.abs(got - expected), 0)
        wrong = ~(error <= tolerance * (1 + numpy.abs(expected))) & there
        if wrong.any():
            at = tuple(int(i) for i in numpy.argwhere(wrong)[0])
            raise AssertionError(f"{name}: {wrong.sum()} of {wrong.size} wrong, first at {at}: expected {expected[at]} but got {got[at]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("filters", nargs="*")
    options = parser.parse_args()
    os.environ["NSTF_EMU_TARGET"] = options.target
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)

    sys.path.append(str(pathlib.Path(__file__).parents[1]))
    from cases import all_cases
    from emulator import Device

    device = Device(options.library)
    passed, failed, begin = 0, [], time.monotonic()
    for case in all_cases():
        if options.target not in case["chips"] or not (options.all or options.filters or case["quick"]):
            continue
        if options.filters and not any(part in case["name"] for part in options.filters):
            continue
        start = time.monotonic()
        try:
            run(case, options.target, device, options.keep)
            passed += 1
            print(f"ok     {case['name']} ({time.monotonic() - start:.1f} s)", flush=True)
        except Exception as error:
            failed.append(case["name"])
            detail = str(error) if isinstance(error, AssertionError) else traceback.format_exc()
            print(f"FAILED {case['name']}: {detail}", flush=True)
    print(f"{options.target}: {passed} passed, {len(failed)} failed ({time.monotonic() - begin:.0f} s)")
    for name in failed:
        print(f"  failed: {name}")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
