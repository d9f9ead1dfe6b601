"""same_numbers.py RAW FILE.npy: fails unless the bytes of RAW are the numbers of FILE.npy, to the last bit."""
import struct
import sys

raw, npy = (open(path, "rb").read() for path in sys.argv[1:])
data = npy[10 + struct.unpack("<H", npy[8:10])[0] :]
if raw != data or not raw:
    sys.exit(f"{sys.argv[1]}: {len(raw)} bytes are not the {len(data)} of {sys.argv[2]}")
print(f"{len(raw) // 4} numbers are the same")
