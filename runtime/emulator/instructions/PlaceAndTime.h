// Where and when a wave runs, as whoever drives the launch says.
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

/// What s_memtime and s_memrealtime read. One for all waves of a launch.
class ClockSource {
public:
  virtual ~ClockSource() = default;
  virtual uint64_t coreClocks(Wave &wave) = 0;
  virtual uint64_t realTime(Wave &wave) = 0; ///< in ticks of 100 MHz
};

/// Time that always goes on and is the same in every run, for launches nobody times: each read of a wave is 64 past the
/// one before.
ClockSource &readCounter();

} // namespace nstf::emulator
