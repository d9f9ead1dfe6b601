// f16 under MODE's rounding and subnormal settings.
//
// f16 is computed in f32, so the host's settings affect neither its rounding nor its subnormals. Under MODE's default
// setting the host's conversions are used; under all others the functions here, lane by lane.
#pragma once

#include "runtime/emulator/instructions/Wave.h"

namespace nstf::emulator {

struct HalfMode {
  unsigned round = 0; ///< nearest even, up, down, toward zero
  bool keepSources = true, keepResults = true;
  bool positiveZero = false; ///< results are never -0

  static bool isUsual(const Wave &w) {
    return (w.mode & (3u << mode::round16_64 | 3u << mode::denormal16_64)) == 3u << mode::denormal16_64;
  }
  static HalfMode of(const Wave &w) {
    return {w.mode >> mode::round16_64 & 3, bool(w.mode >> mode::denormal16_64 & 1),
            bool(w.mode >> (mode::denormal16_64 + 1) & 1), false};
  }
};
/// The mode of the current handler. Handlers that convert lane by lane set it.
inline thread_local HalfMode halfMode;

/// Rounds to f16. A result is tiny if it is so after rounding with unbounded exponent.
inline uint32_t roundToHalf(float value, const HalfMode &mode) {
  uint32_t bits = __builtin_bit_cast(uint32_t, value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude >= 0x7f800000)
    return sign | 0x7c00 | (magnitude > 0x7f800000 ? 0x200 | (magnitude >> 13 & 0x3ff) : 0);
  const uint32_t zero = mode.positiveZero ? 0 : sign;
  if (!magnitude)
    return zero;
  auto rounded = [&](uint64_t significand, unsigned drop) {
    uint64_t kept = significand >> drop, lost = significand & ((uint64_t(1) << drop) - 1);
    uint64_t half = uint64_t(1) << (drop - 1);
    bool up = mode.round == 0   ? lost > half || (lost == half && (kept & 1))
              : mode.round == 1 ? lost && !sign
              : mode.round == 2 ? lost && sign
                                : false;
    return uint32_t(kept + up);
  };
  int exponent = magnitude >> 23 ? int(magnitude >> 23) - 127 : -126; // of bit 23 of the significand
  uint64_t significand = (magnitude & 0x7fffff) | (magnitude >> 23 ? 0x800000 : 0);
  if (exponent >= -14) {
    uint32_t result = rounded(significand, 13) + (uint32_t(exponent + 14) << 10);
    if (result < 0x7c00)
      return sign | result;
    bool toInfinity = mode.round == 0 || mode.round == (sign ? 2u : 1u);
    return sign | (toInfinity ? 0x7c00 : 0x7bff);
  }
  bool normalAnyway = exponent == -15 && rounded(significand, 13) == 0x800; // rounds up to 2^-14
  if (!mode.keepResults && !normalAnyway)
    return zero;
  unsigned drop = unsigned(13 - 14 - exponent);
  return sign | rounded(significand, drop > 60 ? 60 : drop);
}

} // namespace nstf::emulator
