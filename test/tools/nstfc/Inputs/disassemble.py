"""disassemble.py PACKAGE: what the machine code of a package's kernels says about them.

Prints a line for each target and template with the number of kernels and of matrix instructions in each of them; fails
where a matmul or attention kernel has none."""
import collections
import json
import pathlib
import re
import subprocess
import sys

package = pathlib.Path(sys.argv[1])
status = 0
for target in json.loads((package / "manifest.json").read_text())["targets"]:
    text = subprocess.run(["llvm-objdump", "-d", f"--mcpu={target['id']}", package / target["code_object"]],
                          check=True, capture_output=True, text=True).stdout
    parts = re.split(r"^[0-9a-f]+ <(\w+)>:$", text, flags=re.MULTILINE)
    code = dict(zip(parts[1::2], parts[2::2]))
    counts = collections.defaultdict(list)
    for kernel in target["kernels"]:
        body = code[kernel["symbol"]]
        matrix = len(re.findall(r"^\s*v_mfma_f32_(?:16x16x4|32x32x2)_?f32", body, flags=re.MULTILINE))
        counts[kernel["template"]].append(matrix)
        if kernel["template"] in ("matmul", "attention") and not matrix:
            print(f"{target['id']} {kernel['symbol']}: no matrix instruction")
            status = 1
    for template, numbers in sorted(counts.items()):
        print(f"{target['id']} {template}: {len(numbers)} kernels, matrix instructions {min(numbers)} to {max(numbers)}")
sys.exit(status)
