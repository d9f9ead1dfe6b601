// What a wave's memory instruction asks of the memory system, and what it is told.
#pragma once

#include "runtime/emulator/decode/CachePolicy.h"
#include "runtime/emulator/timing/chip/Clocks.h"
#include "runtime/emulator/timing/record/WaveTrace.h"

#include <cstdint>
#include <span>

namespace nstf::emulator::timing {

enum class AccessKind : uint8_t {
  Load,
  Store,
  Atomic,       ///< returns no value
  AtomicReturn, ///< returns the old values
};

/// One vector memory instruction of a wave.
struct VectorAccess {
  AccessKind kind = AccessKind::Load;
  CachePolicy policy;
  std::span<const LineAccess> lines; ///< each lies within one line of the L1
  uint32_t addressClocks = 0;        ///< MemoryRequest::addressClocks
  uint32_t dataBytes = 0;            ///< moved between registers and L1: lanes times bytes a lane
};

struct MemoryReply {
  Clocks issueFree; ///< when the compute unit's address unit accepts its next instruction
  Clocks done;      ///< load: the data is in the registers; store and atomic: the access is acknowledged
  Clocks placeWait; ///< part of the time until issueFree in which the L1 had no free place for a miss
};

} // namespace nstf::emulator::timing
