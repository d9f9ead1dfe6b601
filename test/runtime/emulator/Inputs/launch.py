"""launch.py LIBRARY CODE_OBJECT KERNEL BLOCK BYTES...: launches one workgroup on the emulator, every argument a buffer of
that many bytes, and prints what the emulator says of the fault; exit status 1 where there is none."""
import ctypes
import sys

library, code_object, kernel, block, *sizes = sys.argv[1:]
hip = ctypes.CDLL(library)
hip.nstfEmulatorLastFault.restype = ctypes.c_char_p


def call(name, *arguments):
    code = getattr(hip, name)(*arguments)
    if code:
        raise SystemExit(f"{name}: {code}: {hip.nstfEmulatorLastFault().decode()}")


hip.nstfEmulatorPrintFaults(0)
module, function = ctypes.c_void_p(), ctypes.c_void_p()
call("hipModuleLoad", ctypes.byref(module), code_object.encode())
call("hipModuleGetFunction", ctypes.byref(function), module, kernel.encode())
buffers = [ctypes.c_void_p() for _ in sizes]
for buffer, size in zip(buffers, sizes):
    call("hipMalloc", ctypes.byref(buffer), ctypes.c_size_t(int(size)))
parameters = (ctypes.c_void_p * len(buffers))(*[ctypes.addressof(buffer) for buffer in buffers])
if not hip.hipModuleLaunchKernel(function, 1, 1, 1, int(block), 1, 1, 0, None, parameters, None):
    sys.exit("no fault")
print(hip.nstfEmulatorLastFault().decode())
