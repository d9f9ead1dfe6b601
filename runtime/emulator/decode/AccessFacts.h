// The bytes that an instruction moves to or from memory or LDS.
#pragma once

#include "runtime/emulator/decode/Instructions.h"

#include <array>
#include <cstdint>

namespace nstf::emulator {

struct AccessFacts {
  Addressing addressing = Addressing::None;
  /// Bytes of a lane (scalar: of the wave). Typed buffers: 1, since the format gives the number.
  uint8_t loaded = 0, stored = 0;
  bool atomic = false;
  bool toLds = false; ///< moves data between memory and LDS
  // For LDS accesses with per-lane addresses, which may have bank conflicts.
  uint8_t ldsBytes = 0;   ///< of one access
  uint8_t pairStride = 0; ///< two accesses: unit of their offsets, in accesses; 0: one access
  bool any() const { return addressing != Addressing::None; }
};

/// By opcode.
extern const std::array<AccessFacts, opcodeCount> accessFacts;

} // namespace nstf::emulator
