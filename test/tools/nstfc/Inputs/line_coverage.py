"""line_coverage.py CODE_OBJECT: for how many instructions llvm-symbolizer finds what they belong to, as one line. The
outermost function of an instruction is its kernel's layer, the innermost line the template's or a fused operation's."""
import re
import subprocess
import sys

file = sys.argv[1]
text = subprocess.run(["llvm-objdump", "-d", "--no-show-raw-insn", file], capture_output=True, text=True, check=True).stdout
instructions = re.findall(r"^\s+(\S[^/]*?)\s+// ([0-9A-F]+):", text, re.MULTILINE)
# Padding behind a kernel is none of its instructions.
addresses = [int(address, 16) for instruction, address in instructions if instruction not in ("s_nop 0", "s_code_end")]
text = subprocess.run(["llvm-symbolizer", "-e", file, "--inlines", "--addresses"], text=True, check=True,
                      input="\n".join(map(hex, addresses)), capture_output=True).stdout
layers = lines = 0
for frames in text.strip().split("\n\n"):
    _, *frames = frames.splitlines()
    functions, places = frames[0::2], frames[1::2]
    layers += functions[-1] != "??" and not places[-1].startswith("??")
    lines += any(re.search(r"templates/kernels/.*:[1-9]\d*:\d+$", place) for place in places)
print(f"{len(addresses)} instructions, {100 * layers / len(addresses):.1f} % of a layer, "
      f"{100 * lines / len(addresses):.1f} % of a template's line")
