// Conversion of numbers between f64, f32, f16 and bf16.
//
// Compiler and runtime convert weights with the same functions, so that a package holds the same bits whichever of the
// two made them. A value is rounded once, to nearest even; values beyond the largest number become infinity; subnormals
// are kept.
//
// IEEE 754-2019 §4.3.1; bf16 is f32 without its low 16 bits.
#pragma once

#include "nstf/Manifest.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace nstf {

/// The 16-bit float with `exponentBits` exponent bits that is nearest to `value`: 5 for f16, 8 for bf16.
template <int exponentBits> inline uint16_t roundTo16Bits(double value) {
  constexpr int mantissaBits = 15 - exponentBits, bias = (1 << (exponentBits - 1)) - 1;
  constexpr uint16_t infinity = ((1 << exponentBits) - 1) << mantissaBits;
  auto bits = std::bit_cast<uint64_t>(value);
  uint16_t sign = bits >> 48 & 0x8000;
  int exponent = int(bits >> 52 & 0x7ff) - 1023 + bias;
  uint64_t mantissa = bits & ((uint64_t(1) << 52) - 1);
  if (exponent == 1024 + bias) // infinity, or not a number, which stays one
    return sign | infinity | (mantissa ? 1 << (mantissaBits - 1) | mantissa >> (52 - mantissaBits) : 0);
  int dropped = 52 - mantissaBits;
  if (exponent < 1) { // subnormal there, or less
    mantissa |= uint64_t(1) << 52;
    dropped += 1 - exponent;
    exponent = 0;
    if (dropped > 53)
      return sign;
  }
  uint64_t kept = (dropped == 64 ? 0 : mantissa >> dropped) + (uint64_t(exponent) << mantissaBits);
  uint64_t rest = mantissa & ((uint64_t(1) << dropped) - 1), half = uint64_t(1) << (dropped - 1);
  if (rest > half || (rest == half && kept & 1))
    ++kept; // into the exponent where the mantissa overflows
  return sign | uint16_t(kept < infinity ? kept : infinity);
}

inline uint16_t roundToF16(double value) { return roundTo16Bits<5>(value); }
inline uint16_t roundToBF16(double value) { return roundTo16Bits<8>(value); }

inline float widenBF16(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

inline float widenF16(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
  if (exponent == 0) { // zero and subnormals: exact in f32
    float value = float(mantissa) * 0x1p-24f;
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | (exponent == 31 ? 255 : exponent + 112) << 23 | mantissa << 13);
}

inline bool isFloatType(manifest::ElementType type) {
  using enum manifest::ElementType;
  return type == F64 || type == F32 || type == F16 || type == BF16;
}

/// Converts `count` numbers at `from` to another type at `to`. Throws std::runtime_error when the types differ and one
/// of them is not a float type. The addresses need no alignment.
inline void convertNumbers(const std::byte *from, manifest::ElementType fromType, std::byte *to,
                           manifest::ElementType toType, std::size_t count) {
  using enum manifest::ElementType;
  if (fromType == toType) {
    std::memcpy(to, from, count * manifest::sizeOf(fromType));
    return;
  }
  if (!isFloatType(fromType) || !isFloatType(toType))
    throw std::runtime_error("expected two of f64, f32, f16 and bf16 to convert between but got " +
                             std::string(manifest::nameOf(fromType)) + " and " + std::string(manifest::nameOf(toType)));
  auto read = [&]<typename T>(std::size_t i) {
    T value;
    std::memcpy(&value, from + i * sizeof(T), sizeof(T));
    return value;
  };
  auto write = [&](std::size_t i, auto value) { std::memcpy(to + i * sizeof(value), &value, sizeof(value)); };
  auto convert = [&](auto get) {
    for (std::size_t i = 0; i < count; ++i)
      switch (toType) {
      case F64:
        write(i, double(get(i)));
        break;
      case F32:
        write(i, float(get(i)));
        break;
      case F16:
        write(i, roundToF16(get(i)));
        break;
      default:
        write(i, roundToBF16(get(i)));
      }
  };
  switch (fromType) {
  case F64:
    return convert([&](std::size_t i) { return read.template operator()<double>(i); });
  case F32:
    return convert([&](std::size_t i) { return read.template operator()<float>(i); });
  case F16:
    return convert([&](std::size_t i) { return widenF16(read.template operator()<uint16_t>(i)); });
  default:
    return convert([&](std::size_t i) { return widenBF16(read.template operator()<uint16_t>(i)); });
  }
}

} // namespace nstf
