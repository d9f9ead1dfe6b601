// The place and time of a wave, as set by the driver of the launch.
#pragma once

#include <cstdint>

namespace nstf::emulator {

struct Wave;

/// A wave's place on the chip.
struct ChipPlace {
  uint32_t xcd = 0;
  uint32_t computeUnit = 0; ///< on the XCD
  uint32_t simd = 0;
  uint32_t slot = 0; ///< on the SIMD
};

/// The clock of s_memtime and s_memrealtime, common to all waves of a launch.
class ClockSource {
public:
  virtual ~ClockSource() = default;
  virtual uint64_t coreClocks(Wave &wave) = 0;
  virtual uint64_t realTime(Wave &wave) = 0; ///< in ticks of 100 MHz
};

/// A clock that always advances and is the same in every run, for untimed launches: each read of a wave is 64 more than
/// its previous one.
ClockSource &readCounter();

} // namespace nstf::emulator
