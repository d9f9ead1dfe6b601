#include "runtime/emulator/instructions/BufferFormat.h"
#include "runtime/emulator/decode/MicroOpFlags.h"
#include "runtime/emulator/instructions/Wave.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace nstf::emulator {
namespace {

constexpr uint8_t layouts[16][4] = {{},
                                    {8},
                                    {16},
                                    {8, 8},
                                    {32},
                                    {16, 16},
                                    {11, 11, 10},
                                    {10, 11, 11},
                                    {2, 10, 10, 10},
                                    {10, 10, 10, 2},
                                    {8, 8, 8, 8},
                                    {32, 32},
                                    {16, 16, 16, 16},
                                    {32, 32, 32},
                                    {32, 32, 32, 32},
                                    {}};

/// Floats with five exponent bits and no sign: 11-bit ones have 6 fraction bits, 10-bit ones 5.
float decodeUnsignedFloat(uint32_t value, unsigned bits) {
  unsigned fractionBits = bits - 5;
  uint32_t fraction = value & ((1u << fractionBits) - 1), exponent = value >> fractionBits;
  if (exponent == 31)
    return std::bit_cast<float>(0x7f800000u | fraction << (23 - fractionBits));
  return exponent ? std::ldexp(float(fraction | 1u << fractionBits), int(exponent) - 15 - int(fractionBits))
                  : std::ldexp(float(fraction), -14 - int(fractionBits));
}
uint32_t encodeUnsignedFloat(float value, unsigned bits) {
  unsigned fractionBits = bits - 5;
  uint32_t infinity = 31u << fractionBits;
  if (value != value)
    return infinity | 1u << (fractionBits - 1);
  if (!(value > 0))
    return 0;
  if (std::isinf(value))
    return infinity;
  int exponent = std::max(std::ilogb(value), -14);
  double scaled = std::nearbyint(std::ldexp(double(value), int(fractionBits) - exponent));
  uint32_t code =
      (uint32_t(exponent + 14) << fractionBits) + uint32_t(scaled); // also correct for subnormals and carries
  return std::min(code, infinity - 1);                              // larger values become the largest number
}

} // namespace

BufferFormat::BufferFormat(unsigned dataFormat, unsigned numberFormat) : number(NumberFormat(numberFormat & 7)) {
  for (unsigned i = 0; i < 4; ++i) {
    bits[i] = layouts[dataFormat & 15][i];
    components += bits[i] != 0;
  }
}

BufferFormat BufferFormat::of(const Wave &w, const MicroOp *op) {
  if (op->flags & bufferTyped)
    return BufferFormat(op->flags >> bufferFormatShift, op->flags >> (bufferFormatShift + 4));
  struct {
    uint32_t word[4];
  } r = w.scalarSource<decltype(r)>(op->source[1]);
  return BufferFormat(r.word[3] >> 15, r.word[3] >> 12);
}

uint32_t decodeComponent(NumberFormat number, unsigned bits, uint32_t value) {
  int32_t asSigned = int32_t(value << (32 - bits)) >> (32 - bits);
  double max = std::ldexp(1.0, int(bits)) - 1, maxSigned = std::ldexp(1.0, int(bits) - 1) - 1;
  auto ofFloat = [](double v) { return std::bit_cast<uint32_t>(float(v)); };
  switch (number) {
  case NumberFormat::Unorm:
    return ofFloat(value / max);
  case NumberFormat::Snorm:
    return ofFloat(std::max(asSigned / maxSigned, -1.0));
  case NumberFormat::SnormOgl:
    return ofFloat((asSigned * 2.0 + 1) / max);
  case NumberFormat::Uscaled:
    return ofFloat(value);
  case NumberFormat::Sscaled:
    return ofFloat(asSigned);
  case NumberFormat::Uint:
    return value;
  case NumberFormat::Sint:
    return uint32_t(asSigned);
  case NumberFormat::Float:
    if (bits == 16)
      return std::bit_cast<uint32_t>(float(std::bit_cast<_Float16>(uint16_t(value))));
    return bits == 10 || bits == 11 ? std::bit_cast<uint32_t>(decodeUnsignedFloat(value, bits)) : value;
  }
  return 0;
}

uint32_t encodeComponent(NumberFormat number, unsigned bits, uint32_t value) {
  double v = std::bit_cast<float>(value);
  uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
  double max = std::ldexp(1.0, int(bits)) - 1, maxSigned = std::ldexp(1.0, int(bits) - 1) - 1;
  auto clamped = [](double x, double low, double high) { return x >= low ? std::min(x, high) : x != x ? 0 : low; };
  auto toInteger = [mask](double x) { return uint32_t(int64_t(std::nearbyint(x))) & mask; };
  switch (number) {
  case NumberFormat::Unorm:
    return toInteger(clamped(v, 0, 1) * max);
  case NumberFormat::Snorm:
    return toInteger(clamped(v, -1, 1) * maxSigned);
  case NumberFormat::SnormOgl:
    return toInteger((clamped(v, -1, 1) * max - 1) / 2);
  case NumberFormat::Uscaled:
    return toInteger(clamped(v, 0, max));
  case NumberFormat::Sscaled:
    return toInteger(clamped(v, -maxSigned - 1, maxSigned));
  case NumberFormat::Uint:
    return std::min(value, mask);
  case NumberFormat::Sint:
    return uint32_t(int32_t(std::clamp(double(int32_t(value)), -maxSigned - 1, maxSigned))) & mask;
  case NumberFormat::Float:
    if (bits == 16)
      return std::bit_cast<uint16_t>(_Float16(float(v)));
    return bits == 10 || bits == 11 ? encodeUnsignedFloat(float(v), bits) : value;
  }
  return 0;
}

} // namespace nstf::emulator
