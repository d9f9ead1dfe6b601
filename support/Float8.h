// Numbers in e4m3fnuz: 8-bit floats with a bias of 8, no infinity, no negative zero, and one NaN, 0x80.
#pragma once

#include <cmath>
#include <cstdint>

namespace nstf::support {

inline float widenE4M3FNUZ(uint8_t bits) {
  int exponent = bits >> 3 & 15, mantissa = bits & 7;
  float value = exponent ? std::ldexp(float(8 + mantissa), exponent - 11) : std::ldexp(float(mantissa), -10);
  return bits == 0x80 ? NAN : bits & 0x80 ? -value : value;
}

/// Saturates: a magnitude beyond 240, the largest number, becomes 240.
inline uint8_t roundToE4M3FNUZ(double value) {
  if (std::isnan(value))
    return 0x80;
  double magnitude = std::fmin(std::fabs(value), 240);
  int exponent = magnitude < 0x1p-7 ? -7 : std::ilogb(magnitude);
  // Eighths of the power of two, also for subnormals. A value of 16 carries into the exponent without further code.
  int eighths = int(std::nearbyint(std::ldexp(magnitude, 3 - exponent)));
  int code = eighths < 8 ? eighths : (exponent + 8) * 8 + eighths - 8;
  return uint8_t(code > 0 && value < 0 ? code | 0x80 : code);
}

} // namespace nstf::support
