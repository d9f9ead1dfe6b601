// Read-modify-write on device memory and LDS.
#pragma once

#include "runtime/emulator/decode/Instructions.h"

namespace nstf::emulator {

/// An atomic operation on host memory: operands and result (what stood there before) are bits, of 4 or 8 bytes.
/// `compare` matters to compare-and-exchange only.
struct AtomicOperation {
  uint64_t (*modify)(uint64_t address, uint64_t value, uint64_t compare) = nullptr;
  unsigned bytes = 0;
  bool comparesFirst = false; ///< ds_cmpst: what to compare with is the first operand
};
const AtomicOperation &atomicOperation(Opcode opcode);

} // namespace nstf::emulator
