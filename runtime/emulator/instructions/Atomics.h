// Read-modify-write on device memory and LDS.
#pragma once

#include "runtime/emulator/decode/Instructions.h"

namespace nstf::emulator {

/// An atomic operation on host memory. Operands and result (the old value) are bits, 4 or 8 bytes. Only
/// compare-and-exchange uses `compare`.
struct AtomicOperation {
  uint64_t (*modify)(uint64_t address, uint64_t value, uint64_t compare) = nullptr;
  unsigned bytes = 0;
  bool comparesFirst = false; ///< ds_cmpst: the first operand is the comparand
};
const AtomicOperation &atomicOperation(Opcode opcode);

} // namespace nstf::emulator
