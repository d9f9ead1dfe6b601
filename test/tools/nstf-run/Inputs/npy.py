"""npy.py FILE: prints type, shape and values. npy.py FILE f4|i4 SHAPE VALUE...: writes a tensor of a shape like 3 or 2x3x4.

By the standard library alone, so that the tests need no numpy."""
import ast
import struct
import sys

if len(sys.argv) > 2:
    kind, values = sys.argv[2], sys.argv[4:]
    header = "{'descr': '<%s', 'fortran_order': False, 'shape': (%s,), }\n" % (kind, sys.argv[3].replace("x", ", "))
    data = struct.pack("<%d%s" % (len(values), "f" if kind == "f4" else "i"), *map(float if kind == "f4" else int, values))
    with open(sys.argv[1], "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
else:
    with open(sys.argv[1], "rb") as file:
        content = file.read()
    length = struct.unpack("<H", content[8:10])[0]
    header = ast.literal_eval(content[10 : 10 + length].decode())
    code = "f" if header["descr"] == "<f4" else "i"
    data = content[10 + length :]
    print(header["descr"], header["shape"], *struct.unpack("<%d%s" % (len(data) // 4, code), data))
