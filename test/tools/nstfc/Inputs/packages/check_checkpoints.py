"""check_checkpoints.py CHECKPOINT PACKAGE: the planes of a package are, to the bit, the numbers that the checkpoint's own Python
package computed of it (expected.json)."""
import hashlib
import json
import pathlib
import re
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from quantized_checkpoints import field, float8, read_package  # noqa: E402

checkpoint, package = map(pathlib.Path, sys.argv[1:])
tensors = read_package(package)
formats = {tensor["name"]: tensor["plane"]["format"] for tensor in json.loads((package / "manifest.json").read_text())["weights"]["tensors"]
           if "plane" in tensor}
count = 0
for name, expected in json.loads((checkpoint / "expected.json").read_text()).items():
    bits, group = re.match(r"(?:int(\d)|e4m3fnuz)(?:_g(\d+))?", formats[name + ".codes"]).groups()
    planes = {plane: tensors.get(f"{name}.{plane}") for plane in ("codes", "high", "scales", "zeros", "order")}
    rows, columns = len(planes["scales"]), 64
    order = planes["order"][0] if planes["order"] else range(columns)
    content = b""
    for n in range(rows):
        row = [0.0] * columns
        for k in range(columns):
            g = k // int(group or columns)
            code = planes["codes"][n][k] if bits in (None, "8") else field(planes["codes"][n], 4, k)
            if not bits:
                number = float8(code, 8)
            else:
                width = int(bits)
                code += 128 if width == 8 else field(planes["high"][n], width - 4, k) << 4 if planes["high"] else 0
                per = 32 // width
                number = code - (planes["zeros"][n // per][g] >> n % per * width & (1 << width) - 1 if planes["zeros"] else 1 << width - 1)
            row[order[k]] = planes["scales"][n][g] * number + 0.0
        content += struct.pack(f"<{columns}{'e' if expected['type'] == 'f16' else 'f'}", *row)
    got = hashlib.sha256(content).hexdigest()
    assert got == expected["sha256"], f"{name}: expected {expected['sha256']} but got {got}"
    count += 1
print(f"{count} matrices are their package's")
