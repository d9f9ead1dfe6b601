"""line_coverage.py CODE_OBJECT: for how many instructions llvm-symbolizer finds what they belong to, as one line. The
outermost function of an instruction is its kernel's layer, the innermost line the template's or a fused operation's."""
import re
import subprocess
import sys

file = sys.argv[1]
text = subprocess.run(["llvm-objdump", "-d", "--no-show-raw-insn", file], capture_output=True, text=True, check=True).stdout
instructions = re.findall(r"^\s+(\S[^/]*?)\s+// ([0-9A-F]+):", text, re.MULTILINE)
# Padding behind a kernel is none of its instructions, and what loads arguments in front of it where the firmware doesn't.
loaders = [int(begin, 16) for begin in re.findall(r"^([0-9a-f]+) <(?=[^>]*>:\n(?:.*\n){1,8}?\s+s_branch \d+ .*\+0x100>)", text, re.MULTILINE)]
addresses = [int(address, 16) for instruction, address in instructions if instruction not in ("s_nop 0", "s_code_end")
             and not any(begin <= int(address, 16) < begin + 0x100 for begin in loaders)]
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
