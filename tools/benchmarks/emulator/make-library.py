"""make-library.py FILE MEGABYTES OBJECTS: a host library like those of AMD's: its .hip_fatbin holds that many offload
bundles, each with a code object of 40 kernels for gfx942 and one for gfx90a, and data that fill it up. Every tenth
bundle is compressed."""

import pathlib
import struct
import subprocess
import sys
import tempfile

KERNELS = 40
PLACE = "objectNumber0000"


def code_object(folder, target, padding):
    source = folder / "kernels.hip"
    kernels = "".join(
        f'extern "C" __attribute__((global)) void {PLACE}_kernel{i}(const float *a, float *b, int n, double scale) '
        f'{{ int i = __builtin_amdgcn_workitem_id_x(); if (i < n) b[i] = a[i] * float(scale) + {i}; }}\n'
        for i in range(KERNELS))
    source.write_text(f"__attribute__((device, used)) unsigned char padding[{padding}] = {{1}};\n{kernels}")
    output = folder / f"{target}.hsaco"
    subprocess.run(["clang-22", "-x", "hip", "-nogpulib", "-nogpuinc", "-O1", f"--offload-arch={target}",
                    "--offload-device-only", "--no-gpu-bundle-output", source, "-o", output], check=True)
    return output.read_bytes()


def bundle(entries):
    header = 24 + 8 + sum(24 + len(name) for name, _ in entries)
    offset = (header + 4095) // 4096 * 4096
    table, data = b"", b""
    for name, contents in entries:
        at = offset + len(data)
        table += struct.pack("<QQQ", at, len(contents), len(name)) + name
        data += contents + bytes(-len(contents) % 4096)
    head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(entries)) + table
    return head + bytes(offset - len(head)) + data


def compressed(folder, entries):
    inputs, targets = ["-input=/dev/null"], ["host-x86_64-unknown-linux-gnu-"]
    for i, (name, contents) in enumerate(entries):
        (folder / f"entry{i}").write_bytes(contents)
        inputs.append(f"-input={folder}/entry{i}")
        targets.append(name.decode())
    subprocess.run(["/usr/lib/llvm-22/bin/clang-offload-bundler", "-type=o", "-compress", "-bundle-align=4096",
                    f"-targets={','.join(targets)}", *inputs, f"-output={folder}/packed"], check=True)
    return (folder / "packed").read_bytes()


def main():
    library, megabytes, objects = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        size = (megabytes << 20) // (objects - objects // 10)  # the compressed ones are small
        objects_of = {target: code_object(folder, target, size // 2 - 120_000) for target in ("gfx942", "gfx90a")}
        with open(folder / "fatbin", "wb") as fatbin:
            for number in range(objects):
                entries = [(f"hipv4-amdgcn-amd-amdhsa--{target}".encode(),
                            contents.replace(PLACE.encode(), f"objectNumber{number:04}".encode()))
                           for target, contents in objects_of.items()]
                data = compressed(folder, entries) if number % 10 == 9 else bundle(entries)
                fatbin.write(data + bytes(-len(data) % 4096))
        (folder / "library.s").write_text(f'.section .hip_fatbin,"a",@progbits\n.p2align 12\n.incbin "{folder}/fatbin"\n')
        subprocess.run(["clang-22", "-shared", "-nostdlib", folder / "library.s", "-o", library], check=True)


main()
