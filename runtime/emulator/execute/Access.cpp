#include "runtime/emulator/execute/Access.h"
#include "runtime/emulator/execute/Atomics.h"
#include "runtime/emulator/execute/Memory.h"

namespace nstf::emulator {

void throwOutside(const Wave &w, const MicroOp *op, int lane, uint64_t address, unsigned bytes, bool write) {
  const Region *region = w.group->launch->regions->find(address);
  const char *what = write ? "store" : "load";
  if (region && write && !region->writable)
    throw WaveFault{op, "store to read-only memory", lane, true, address};
  throw WaveFault{op, std::string(what) + " of " + std::to_string(bytes) + " bytes outside every allocation", lane,
                  true, address};
}

void throwOutsideLds(const Wave &w, const MicroOp *op, int lane, uint64_t offset, unsigned bytes) {
  throw WaveFault{op,
                  "access of " + std::to_string(bytes) + " bytes at LDS offset " + std::to_string(offset) +
                      ", but the workgroup has " + std::to_string(w.group->launch->ldsBytes) + " bytes",
                  lane};
}

void modifyLane(Wave &w, const MicroOp *op, const AtomicOperation &operation, unsigned lane, uint64_t address) {
  constexpr unsigned width = Wave::width;
  if (address % operation.bytes)
    throw WaveFault{op, "atomic on an address that is not a multiple of its size", int(lane), true, address};
  const uint32_t *from = w.row(op->source[2]);
  bool wide = operation.bytes == 8;
  uint64_t value = from[lane], compare = 0;
  if (wide)
    value |= uint64_t(from[lane + width]) << 32;
  if (op->flags & memoryCompares)
    compare = wide ? from[lane + 2 * width] | uint64_t(from[lane + 3 * width]) << 32 : from[lane + width];
  uint64_t old = operation.modify(address, value, compare);
  if (!(op->flags & memoryReturns))
    return;
  w.destination(op)[lane] = uint32_t(old);
  if (wide)
    w.destination(op)[lane + width] = uint32_t(old >> 32);
}

} // namespace nstf::emulator
