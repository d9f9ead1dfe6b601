// Checked access to device memory.
#pragma once

#include "runtime/emulator/decode/Instructions.h"
#include "runtime/emulator/instructions/Monitor.h"
#include "runtime/emulator/instructions/Wave.h"
#include "runtime/emulator/memory/Memory.h"

namespace nstf::emulator {

/// Throws the fault of an access outside all allocations. `lane` -1: a scalar access. `lanes`: all lanes with this
/// fault, if there are several.
[[noreturn]] void throwOutside(const Wave &w, const MicroOp *op, int lane, uint64_t address, unsigned bytes, bool write,
                               uint64_t lanes = 0);

/// Describes the mistake of a store to a read-only region.
const char *storeToReadOnly(const Region &region);

// Reports to the monitor, made before any check: parts of an instruction's access, `bytes` of each lane of `lanes`, at
// offset `at` in the lanes' data.
/// Whether there is a monitor: one test for each memory instruction, the only cost of an unmonitored launch.
inline bool watched(const Wave &w) { return __builtin_expect(w.group->monitor != nullptr, 0); }
/// Device addresses by lane; also for scratch.
void reportAccess(Wave &w, const MicroOp *op, uint64_t lanes, const uint64_t *addresses, unsigned bytes,
                  unsigned at = 0);
/// The access of one lane; -1: a scalar access.
void reportLane(Wave &w, const MicroOp *op, int lane, uint64_t address, unsigned bytes, unsigned at);
/// Host addresses in the workgroup's LDS, or beyond it.
void reportLds(Wave &w, const MicroOp *op, AccessKind kind, uint64_t lanes, const uint64_t *addresses, unsigned bytes,
               unsigned at = 0);
/// Whether the workgroup has these bytes of LDS; otherwise loads return zero and stores are dropped.
inline bool insideLds(const Wave &w, uint64_t offset, unsigned bytes) {
  return offset + bytes <= w.group->launch->ldsBytes;
}
/// One lane's LDS store of an LDS-DMA load.
void storeLdsLane(Wave &w, const MicroOp *op, unsigned lane, uint64_t offset, const void *data, unsigned bytes);
/// The kind of an instruction's access (for an LDS instruction, its access to LDS by registers).
AccessKind getAccessKind(Opcode opcode);

/// Whether [address, address + bytes) lies in one allocation that permits the access.
inline bool accessible(Wave &w, uint64_t address, uint64_t bytes, bool write) {
  const Region *region = w.group->launch->regions->find(address, bytes, w.hint);
  return region && (!write || region->writable);
}
inline void checkAccess(Wave &w, const MicroOp *op, int lane, uint64_t address, unsigned bytes, bool write,
                        unsigned at = 0) {
  if (watched(w))
    reportLane(w, op, lane, address, bytes, at);
  if (__builtin_expect(!accessible(w, address, bytes, write), 0))
    throwOutside(w, op, lane, address, bytes, write);
}

struct AtomicOperation;
/// A lane's atomic on checked device memory. The operands are in the rows at source[2] (a second one after the first);
/// the old value goes to the destination if the flags request it.
void modifyLane(Wave &w, const MicroOp *op, const AtomicOperation &operation, unsigned lane, uint64_t address);

} // namespace nstf::emulator
