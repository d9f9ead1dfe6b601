"""edit-tensor.py FILE.safetensors TENSOR KEY JSON: changes one entry of a safetensors header; the data stays."""
import json
import struct
import sys

path, tensor, key, value = sys.argv[1:5]
with open(path, "rb") as file:
    content = file.read()
length = struct.unpack("<Q", content[:8])[0]
header = json.loads(content[8 : 8 + length])
header[tensor][key] = json.loads(value)
text = json.dumps(header).encode()
with open(path, "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + content[8 + length :])
