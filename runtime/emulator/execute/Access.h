//===- Access.h - checked access to device memory ----------------------------------------------------------------===//
#ifndef NSTF_RUNTIME_EMULATOR_EXECUTE_ACCESS_H
#define NSTF_RUNTIME_EMULATOR_EXECUTE_ACCESS_H

#include "runtime/emulator/execute/Wave.h"
#include "runtime/emulator/memory/Memory.h"

namespace nstf::emulator {

/// Throws what an access outside the allocations is; `lane` -1: a scalar access.
[[noreturn]] void throwOutside(const Wave &w, const MicroOp *op, int lane, uint64_t address, unsigned bytes,
                               bool write);
/// Throws what an LDS access past the workgroup's LDS is.
[[noreturn]] void throwOutsideLds(const Wave &w, const MicroOp *op, int lane, uint64_t offset, unsigned bytes);

/// Whether [address, address + bytes) lies in one allocation that may be accessed so.
inline bool accessible(Wave &w, uint64_t address, uint64_t bytes, bool write) {
  const Region *region = w.group->launch->regions->find(address, bytes, w.hint);
  return region && (!write || region->writable);
}
inline void checkAccess(Wave &w, const MicroOp *op, int lane, uint64_t address, unsigned bytes, bool write) {
  if (__builtin_expect(!accessible(w, address, bytes, write), 0))
    throwOutside(w, op, lane, address, bytes, write);
}

struct AtomicOperation;
/// A lane's atomic on checked device memory: operands from the rows at source[2] (a second one behind the first), the
/// old value to the destination if flags ask for it.
void modifyLane(Wave &w, const MicroOp *op, const AtomicOperation &operation, unsigned lane, uint64_t address);

} // namespace nstf::emulator

#endif
