// fp8 and bf8 of gfx942.
//
// "FNUZ" formats: E4M3 with bias 8, E5M2 with bias 16, no infinity, no negative zero; 0x80 is the only NaN.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace nstf::emulator {

template <unsigned exponentBits> struct SmallFloat {
  static constexpr unsigned fractionBits = 7 - exponentBits;
  static constexpr int bias = 1 << (exponentBits - 1);

  static constexpr float decode(uint8_t byte) {
    if (byte == 0x80)
      return std::bit_cast<float>(0x7fc00000u);
    uint32_t fraction = byte & ((1u << fractionBits) - 1), exponent = byte >> fractionBits & ((1u << exponentBits) - 1);
    int power = exponent ? int(exponent) : 1;
    uint32_t significand = exponent ? fraction | 1u << fractionBits : fraction;
    float value = float(significand);
    for (int e = power - bias - int(fractionBits); e < 0; ++e)
      value *= 0.5f;
    for (int e = power - bias - int(fractionBits); e > 0; --e)
      value *= 2.0f;
    return byte & 0x80 ? -value : value;
  }
  static constexpr std::array<float, 256> makeTable() {
    std::array<float, 256> table{};
    for (unsigned i = 0; i < 256; ++i)
      table[i] = decode(uint8_t(i));
    return table;
  }
  static constexpr std::array<float, 256> table = makeTable();

  /// Rounds the f32 `bits` to nearest even or, with `stochastic`, by the random bits `random`. A value that is too
  /// large becomes the largest number with `saturate`, else NaN.
  static uint8_t encode(uint32_t bits, bool stochastic, uint32_t random, bool saturate) {
    uint32_t magnitude = bits & 0x7fffffff, sign = bits >> 31;
    if (magnitude > 0x7f800000)
      return 0x80;
    constexpr uint8_t largest = 0x7f;
    if (magnitude == 0x7f800000)
      return saturate ? uint8_t(sign << 7 | largest) : 0x80;
    if (magnitude < 0x00800000) // far below the smallest subnormal
      return 0;
    int exponent = int(magnitude >> 23) - 127 + bias;
    uint64_t significand = (magnitude & 0x7fffff) | 0x800000;
    // Bits below the kept fraction; a result that is subnormal keeps fewer.
    int drop = 23 - int(fractionBits) + (exponent < 1 ? 1 - exponent : 0);
    if (drop > 60)
      return 0;
    uint64_t kept = significand >> drop, lost = significand & ((uint64_t(1) << drop) - 1);
    if (stochastic) {
      // 32 random bits are compared with the lost part, taken as a fraction of the last kept bit.
      uint64_t added = drop >= 32 ? uint64_t(random) << (drop - 32) : random >> (32 - drop);
      kept += (lost + added) >> drop;
    } else {
      uint64_t half = uint64_t(1) << (drop - 1);
      kept += lost > half || (lost == half && (kept & 1));
    }
    uint64_t code = exponent < 1 ? kept : kept + (uint64_t(exponent - 1) << fractionBits);
    if (code > largest)
      return saturate ? uint8_t(sign << 7 | largest) : 0x80;
    return code ? uint8_t(sign << 7 | code) : 0;
  }
};
using Fp8 = SmallFloat<4>;
using Bf8 = SmallFloat<5>;

} // namespace nstf::emulator
