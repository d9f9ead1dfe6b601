// Checked access to device memory.
#pragma once

#include "runtime/emulator/decode/Instructions.h"
#include "runtime/emulator/instructions/Monitor.h"
#include "runtime/emulator/instructions/Wave.h"
#include "runtime/emulator/memory/Memory.h"

namespace nstf::emulator {

/// Throws what an access outside the allocations is; `lane` -1: a scalar access. `lanes`: all that access so, where
/// they are more than that one.
[[noreturn]] void throwOutside(const Wave &w, const MicroOp *op, int lane, uint64_t address, unsigned bytes, bool write,
                               uint64_t lanes = 0);

/// What a store there is a mistake of.
const char *storeToReadOnly(const Region &region);

// What a monitored launch tells its monitor, before anything is checked: pieces of an instruction's access, `bytes` of
// each lane of `lanes`, which stand at `at` in the lanes' data.
/// Somebody watches: one test a memory instruction, all that an unmonitored launch pays.
inline bool watched(const Wave &w) { return __builtin_expect(w.group->monitor != nullptr, 0); }
/// Device addresses by lane; scratch is told by its addresses.
void reportAccess(Wave &w, const MicroOp *op, uint64_t lanes, const uint64_t *addresses, unsigned bytes,
                  unsigned at = 0);
/// One lane's; -1: a scalar access.
void reportLane(Wave &w, const MicroOp *op, int lane, uint64_t address, unsigned bytes, unsigned at);
/// Host addresses in the workgroup's LDS, or past it.
void reportLds(Wave &w, const MicroOp *op, AccessKind kind, uint64_t lanes, const uint64_t *addresses, unsigned bytes,
               unsigned at = 0);
/// Whether the workgroup has these bytes of LDS; where it has not, loads give zero and stores are dropped.
inline bool insideLds(const Wave &w, uint64_t offset, unsigned bytes) {
  return offset + bytes <= w.group->launch->ldsBytes;
}
/// One lane's LDS store of an LDS-DMA load.
void storeLdsLane(Wave &w, const MicroOp *op, unsigned lane, uint64_t offset, const void *data, unsigned bytes);
/// The kind of access an instruction makes (to LDS: what comes from there or goes there by a register).
AccessKind accessKindOf(Opcode opcode);

/// Whether [address, address + bytes) lies in one allocation that may be accessed so.
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
/// A lane's atomic on checked device memory: operands from the rows at source[2] (a second one behind the first), the
/// old value to the destination if flags ask for it.
void modifyLane(Wave &w, const MicroOp *op, const AtomicOperation &operation, unsigned lane, uint64_t address);

} // namespace nstf::emulator
