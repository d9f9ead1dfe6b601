"""Arrays of the number types that numpy lacks, by bits: bf16 and the 8-bit floats."""
import numpy

NUMPY = {"fp16": numpy.float16, "fp32": numpy.float32, "fp64": numpy.float64, "i8": numpy.int8, "u8": numpy.uint8,
         "i16": numpy.int16, "i32": numpy.int32, "i64": numpy.int64}
# Exponent's bias, bits of mantissa; FNUZ: no infinity, no -0, whose bits are the only NaN.
SMALL = {"fp8e4b8": (8, 3), "fp8e5b16": (16, 2), "fp8e5": (15, 2)}


class Float:
    """`bits`, and the name of the type they are of."""

    def __init__(self, type, bits):
        self.type, self.bits = type, bits


def type_of(array):
    if isinstance(array, Float):
        return array.type
    return next(name for name, type in NUMPY.items() if type == array.dtype.type)


def values_of(type):
    """The value of each byte."""
    bias, mantissa_bits = SMALL[type]
    byte = numpy.arange(256)
    exponent, mantissa = (byte & 127) >> mantissa_bits, byte & ((1 << mantissa_bits) - 1)
    value = numpy.where(exponent == 0, mantissa * 2.0 ** (1 - bias - mantissa_bits),
                        (1 + mantissa / (1 << mantissa_bits)) * 2.0 ** (exponent - bias))
    value = numpy.where(byte >= 128, -value, value)
    if type == "fp8e5":
        value[exponent == 31] = numpy.nan
    else:
        value[128] = numpy.nan
    return value


def encode(type, values):
    """`values` rounded to the type."""
    if type == "bf16":
        bits = numpy.ascontiguousarray(values, numpy.float32).view(numpy.uint32)
        return Float(type, ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(numpy.uint16))
    if type in SMALL:
        table = values_of(type)
        order = numpy.argsort(table)[: numpy.count_nonzero(~numpy.isnan(table))]
        place = numpy.clip(numpy.searchsorted(table[order], values), 1, len(order) - 1)
        lower = numpy.abs(table[order[place - 1]] - values) <= numpy.abs(table[order[place]] - values)
        return Float(type, order[place - lower].astype(numpy.uint8))
    return numpy.ascontiguousarray(values).astype(NUMPY[type])


def decode(array):
    """As float64."""
    if not isinstance(array, Float):
        return array.astype(numpy.float64)
    if array.type == "bf16":
        return (array.bits.astype(numpy.uint32) << 16).view(numpy.float32).astype(numpy.float64)
    return values_of(array.type)[array.bits]
