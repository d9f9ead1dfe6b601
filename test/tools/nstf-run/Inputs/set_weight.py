"""set_weight.py FILE.safetensors TENSOR ROW NUMBER: sets the first number of a row, of an F32 or BF16 tensor of two
dimensions."""
import json
import struct
import sys

path, name, row, number = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
content = bytearray(open(path, "rb").read())
length = struct.unpack("<Q", content[:8])[0]
tensor = json.loads(content[8 : 8 + length])[name]
size = {"F32": 4, "BF16": 2}[tensor["dtype"]]
assert 0 <= row < tensor["shape"][0]
place = 8 + length + tensor["data_offsets"][0] + size * row * tensor["shape"][1]
content[place : place + size] = struct.pack("<f", number)[-size:]
open(path, "wb").write(content)
