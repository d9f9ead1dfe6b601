"""The emulator's HIP library by ctypes: numpy arrays in, a code object's kernel launched, numpy arrays out."""
import ctypes
import struct

import numpy


class Fault(Exception):
    pass


class Device:
    def __init__(self, library):
        self.hip = ctypes.CDLL(library)
        self.hip.nstfEmulatorLastFault.restype = ctypes.c_char_p

    def call(self, name, *arguments):
        code = getattr(self.hip, name)(*arguments)
        if code:
            raise Fault(f"{name}: error {code}: {(self.hip.nstfEmulatorLastFault() or b'').decode()}")

    def launch(self, code, kernel, grid, threads, lds, arguments, cooperative=False):
        """Runs `kernel` of the code object or bundle `code` (bytes). An array among `arguments` is copied to device memory of
        just its size, and back; None is a null pointer; (format, value) is a scalar as struct packs it."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("hipModuleLoadData", ctypes.byref(module), code)
        self.call("hipModuleGetFunction", ctypes.byref(function), module, kernel.encode())
        cells, buffers = [], []
        for argument in arguments:
            if isinstance(argument, numpy.ndarray):
                assert argument.flags.c_contiguous
                pointer = ctypes.c_void_p()
                self.call("hipMalloc", ctypes.byref(pointer), ctypes.c_size_t(argument.nbytes))
                self.call("hipMemcpy", pointer, argument.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(argument.nbytes), 1)
                buffers.append((argument, pointer))
                argument = ("Q", pointer.value)
            elif argument is None:
                argument = ("Q", 0)
            cells.append(ctypes.create_string_buffer(struct.pack("<" + argument[0], argument[1])))
        parameters = (ctypes.c_void_p * len(cells))(*[ctypes.addressof(cell) for cell in cells])
        try:
            if cooperative:
                self.call("hipModuleLaunchCooperativeKernel", function, *grid, threads, 1, 1, lds, None, parameters)
            else:
                self.call("hipModuleLaunchKernel", function, *grid, threads, 1, 1, lds, None, parameters, None)
            self.call("hipDeviceSynchronize")
            for array, pointer in buffers:
                self.call("hipMemcpy", array.ctypes.data_as(ctypes.c_void_p), pointer, ctypes.c_size_t(array.nbytes), 2)
        finally:
            for _, pointer in buffers:
                self.hip.hipFree(pointer)
            self.hip.hipModuleUnload(module)
