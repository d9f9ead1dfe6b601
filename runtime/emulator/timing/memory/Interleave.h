// The channel, slice or set of an address.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace nstf::emulator::timing {

/// Spreads numbers over `count` places. The place is the sum of the lowest eight digits in base `count`, without carry
/// (if `count` is not a power of two: of all digits, with carry). Consecutive numbers thus go round robin, and so do
/// numbers that are a power of two apart. The hardware's hash is known to spread both; otherwise it is not published.
class Spread {
public:
  explicit Spread(uint32_t count)
      : count(count), mask(count - 1), shift(std::has_single_bit(count) ? uint8_t(std::countr_zero(count)) : 0),
        shiftBy2(uint8_t(std::min(2 * shift, 63))), shiftBy4(uint8_t(std::min(4 * shift, 63))) {}

  uint32_t operator()(uint64_t number) const {
    if (!shift) [[unlikely]]
      return withCarry(number);
    number ^= number >> shiftBy4;
    number ^= number >> shiftBy2;
    number ^= number >> shift;
    return uint32_t(number) & mask;
  }
  uint64_t quotient(uint64_t number) const {
    if (!shift) [[unlikely]]
      return divided(number);
    return number >> shift;
  }

private:
  // For a count that is not a power of two; kept out of line so that the code around it stays short.
  [[gnu::noinline]] uint32_t withCarry(uint64_t number) const {
    uint64_t sum = 0;
    if (count > 1)
      for (; number != 0; number /= count)
        sum += number % count;
    return uint32_t(sum % count);
  }
  [[gnu::noinline]] uint64_t divided(uint64_t number) const { return number / count; }

  uint32_t count, mask;
  uint8_t shift, shiftBy2, shiftBy4;
};

/// Interleaves addresses over channels, `granule` bytes at a time. Both sizes are powers of two.
class Interleave {
public:
  struct Home {
    uint32_t channel;
    uint64_t line; ///< index of the line among those of the channel
  };

  Interleave(uint32_t channels, uint32_t granule, uint32_t lineBytes)
      : channels(channels), granuleShift(uint8_t(std::countr_zero(granule))),
        lineShift(uint8_t(std::countr_zero(lineBytes))), lines(uint8_t(granuleShift - lineShift)),
        lineMask(uint32_t((uint64_t(1) << lines) - 1)) {}

  Home operator()(uint64_t address) const {
    const uint64_t granule = address >> granuleShift;
    return {channels(granule), (channels.quotient(granule) << lines) + (uint32_t(address >> lineShift) & lineMask)};
  }

private:
  Spread channels;
  uint8_t granuleShift, lineShift, lines; ///< log2 sizes; `lines`: of a granule
  uint32_t lineMask;
};

} // namespace nstf::emulator::timing
