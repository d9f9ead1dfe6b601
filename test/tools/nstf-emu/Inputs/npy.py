"""npy.py FILE DESCR SHAPE VALUE...: writes an array (SHAPE like 2x3; DESCR with an F in front: in Fortran order, values
as they stand in the file). npy.py FILE: prints descr, shape and values. By the standard library alone."""
import ast
import struct
import sys

CODES = {"f8": "d", "f4": "f", "f2": "e", "i8": "q", "i4": "i", "i2": "h", "i1": "b", "u8": "Q", "u4": "I", "u2": "H", "u1": "B"}

if len(sys.argv) > 2:
    descr, shape, values = sys.argv[2], sys.argv[3].replace("x", ", "), sys.argv[4:]
    fortran = descr.startswith("F")
    descr = descr.lstrip("F")
    header = "{'descr': '%s', 'fortran_order': %s, 'shape': (%s,), }\n" % (descr, fortran, shape)
    code = CODES[descr[1:]]
    data = b"".join(struct.pack("<" + code, float(v) if code in "dfe" else int(v)) for v in values)
    with open(sys.argv[1], "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
else:
    content = open(sys.argv[1], "rb").read()
    length = struct.unpack("<H", content[8:10])[0]
    header = ast.literal_eval(content[10 : 10 + length].decode())
    data = content[10 + length :]
    code = CODES[header["descr"][1:]]
    values = struct.unpack("<%d%s" % (len(data) // struct.calcsize(code), code), data)
    print(header["descr"], header["shape"], *values)
