#include "runtime/emulator/execute/Access.h"

namespace nstf::emulator {

void throwOutside(const Wave &w, const MicroOp *op, int lane, uint64_t address, unsigned bytes, bool write) {
  const Region *region = w.group->launch->regions->find(address);
  const char *what = write ? "store" : "load";
  if (region && write && !region->writable)
    throw WaveFault{op, "store to read-only memory", lane, true, address};
  throw WaveFault{op, std::string(what) + " of " + std::to_string(bytes) + " bytes outside every allocation", lane, true,
                  address};
}

void throwOutsideLds(const Wave &w, const MicroOp *op, int lane, uint64_t offset, unsigned bytes) {
  throw WaveFault{op, "access of " + std::to_string(bytes) + " bytes at LDS offset " + std::to_string(offset) +
                          ", but the workgroup has " + std::to_string(w.group->launch->ldsBytes) + " bytes",
                  lane};
}

} // namespace nstf::emulator
