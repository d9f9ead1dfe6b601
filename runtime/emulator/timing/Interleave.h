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
      : count(count), shift(std::has_single_bit(count) ? std::countr_zero(count) : 0),
        shiftBy2(std::min(2 * shift, 63u)), shiftBy4(std::min(4 * shift, 63u)) {}

  uint32_t operator()(uint64_t number) const {
    if (shift) {
      number ^= number >> shiftBy4;
      number ^= number >> shiftBy2;
      number ^= number >> shift;
      return uint32_t(number) & (count - 1);
    }
    uint64_t sum = 0;
    if (count > 1)
      for (; number != 0; number /= count)
        sum += number % count;
    return uint32_t(sum % count);
  }
  uint64_t quotient(uint64_t number) const { return shift ? number >> shift : number / count; }

private:
  uint32_t count, shift, shiftBy2, shiftBy4;
};

/// Addresses dealt out over channels, `granule` bytes at a time. Both sizes are powers of two.
class Interleave {
public:
  struct Home {
    uint32_t channel;
    uint64_t line; ///< number of the line among those of the channel
  };

  Interleave(uint32_t channels, uint32_t granule, uint32_t lineBytes)
      : channels(channels), granuleShift(std::countr_zero(granule)), lineShift(std::countr_zero(lineBytes)) {}

  Home operator()(uint64_t address) const {
    uint64_t granule = address >> granuleShift;
    uint64_t lineInGranule = (address & ((uint64_t(1) << granuleShift) - 1)) >> lineShift;
    return {channels(granule), (channels.quotient(granule) << (granuleShift - lineShift)) + lineInGranule};
  }

private:
  Spread channels;
  uint32_t granuleShift, lineShift;
};

} // namespace nstf::emulator::timing
