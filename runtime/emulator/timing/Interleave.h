// Which channel, slice or set an address belongs to.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace nstf::emulator::timing {

/// Spreads numbers over `count` places: their digits in base `count`, the lowest eight, are added without carry (of a
/// count that is no power of two, all, with carry). So neighbours go round robin, and so do numbers that are a power of
/// two apart. The hardware's hash is known to spread both and is otherwise not published.
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
  // Of a count that is no power of two; out of the way, for the code around it to be short.
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

/// Addresses dealt out over channels, `granule` bytes at a time. Both sizes are powers of two.
class Interleave {
public:
  struct Home {
    uint32_t channel;
    uint64_t line; ///< number of the line among those of the channel
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
  uint8_t granuleShift, lineShift, lines; ///< of a granule, their logarithm
  uint32_t lineMask;
};

} // namespace nstf::emulator::timing
