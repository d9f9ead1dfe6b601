"""Compiles kernels of a Python file with Triton, ahead of time; run by test/runtime/emulator/with_packages.py.

    compile.py KERNELS.py TARGET REQUESTS.json FOLDER

A request: {kernel, arguments: [[name, type, whether it is a multiple of 16], …], constants: {name: value}, options}; a
constant of text names a type of triton.language, or is text in quotes. Leaves FOLDER/<i>.hsaco for each that can be compiled and prints a JSON
list: {symbol, warps, lds, seconds} or {error}."""
import importlib.util
import json
import pathlib
import sys
import time

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


def constant(value):
    if not isinstance(value, str):
        return value
    return value.strip("'") if value.startswith("'") else getattr(tl, value)


def compile_one(kernels, target, request):
    function = getattr(kernels, request["kernel"])
    signature, attributes, place = {}, {}, {name: i for i, name in enumerate(function.arg_names)}
    for name, type, is_multiple in request["arguments"]:
        signature[name] = type
        attribute = [["tt.divisibility", 16]] if is_multiple else []
        if type.startswith("*"):  # as Triton's own launcher finds for arrays of less than 2 GiB
            attribute.append(["tt.pointer_range", 32])
        if attribute:
            attributes[(place[name],)] = attribute
    constants = {name: constant(value) for name, value in request["constants"].items()}
    signature |= {name: "constexpr" for name in constants}
    source = ASTSource(fn=function, signature={name: signature[name] for name in function.arg_names}, constexprs=constants,
                       attrs=attributes)
    return triton.compile(source, target=GPUTarget("hip", target, 64), options=request["options"])


def main():
    path, target, requests, folder = sys.argv[1:]
    spec = importlib.util.spec_from_file_location("kernels", path)
    kernels = importlib.util.module_from_spec(spec)
    sys.modules["kernels"] = kernels
    spec.loader.exec_module(kernels)
    answers = []
    for i, request in enumerate(json.loads(pathlib.Path(requests).read_text())):
        start = time.process_time()
        try:
            compiled = compile_one(kernels, target, request)
        except Exception as error:  # whatever Triton can't do is an answer
            answers.append({"error": str(error).splitlines()[0] if str(error) else type(error).__name__})
            continue
        (pathlib.Path(folder) / f"{i}.hsaco").write_bytes(compiled.asm["hsaco"])
        answers.append({"symbol": compiled.metadata.name, "warps": compiled.metadata.num_warps, "lds": compiled.metadata.shared,
                        "seconds": time.process_time() - start})
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
