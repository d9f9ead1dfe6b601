"""trap.py PACKAGE SYMBOL: puts a trap in the place of the first instruction of a kernel, and makes the package's checksums
agree with it: what a wrong kernel looks like to who runs it."""
import hashlib
import json
import pathlib
import struct
import subprocess
import sys

package, symbol = pathlib.Path(sys.argv[1]), sys.argv[2]
file = package / "manifest.json"
manifest = json.loads(file.read_text())
target = manifest["targets"][0]
code_object = package / target["code_object"]
old = hashlib.sha256(code_object.read_bytes()).hexdigest()

text = subprocess.run(["llvm-readelf", "-S", "-s", "--wide", code_object], capture_output=True, text=True, check=True).stdout
rows = [line.split("]")[-1].split() for line in text.splitlines()]
address, offset = next((int(row[2], 16), int(row[3], 16)) for row in rows if row[:1] == [".text"])
entry = next(int(row[1], 16) for row in rows if row[-1:] == [symbol] and "FUNC" in row)
code = bytearray(code_object.read_bytes())
begin = entry + 0x100  # arguments are preloaded: in front stands what loads them where the firmware doesn't
struct.pack_into("<I", code, begin - address + offset, 0xBF920002)  # s_trap 2
code_object.write_bytes(code)

text = json.dumps(manifest).replace(old, hashlib.sha256(code).hexdigest())
manifest = json.loads(text)
del manifest["digest"]
canonical = json.dumps(manifest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
manifest["digest"] = hashlib.sha256(canonical.encode()).hexdigest()
file.write_text(json.dumps(manifest))
