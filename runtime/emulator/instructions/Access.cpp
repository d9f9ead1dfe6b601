#include "runtime/emulator/instructions/Access.h"
#include "runtime/emulator/decode/MicroOpFlags.h"
#include "runtime/emulator/instructions/Atomics.h"

#include <bit>

namespace nstf::emulator {

const char *storeToReadOnly(const Region &region) {
  return region.kind == RegionKind::Arguments ? "store to the kernel's arguments" : "store to read-only memory";
}

void throwOutside(const Wave &w, const MicroOp *op, int lane, uint64_t address, unsigned bytes, bool write,
                  uint64_t lanes) {
  const Region *region = w.group->launch->regions->find(address);
  const char *what = write ? "store" : "load";
  if (region && write && !region->writable)
    throw WaveFault{op, storeToReadOnly(*region), lane, true, address, "fault", lanes};
  std::string text = std::string(what) + " of " + std::to_string(bytes) + " bytes outside every allocation";
  throw WaveFault{op, text, lane, true, address, "fault", lanes};
}

AccessKind getAccessKind(Opcode opcode) {
  switch (getInfo(opcode).effect) {
  case MemoryEffect::Store:
    return AccessKind::Store;
  case MemoryEffect::Atomic:
    return AccessKind::Atomic;
  default:
    return AccessKind::Load;
  }
}

void reportAccess(Wave &w, const MicroOp *op, uint64_t lanes, const uint64_t *addresses, unsigned bytes, unsigned at) {
  AccessKind kind = getAccessKind(Opcode(op->opcode));
  uint64_t scratch = 0, scratchBytes = uint64_t(w.group->launch->scratchBytes) * Wave::width;
  for (uint64_t left = scratchBytes ? lanes : 0; left; left &= left - 1)
    if (addresses[std::countr_zero(left)] - w.scratch < scratchBytes)
      scratch |= left & -left;
  Monitor &monitor = *w.group->monitor;
  if (scratch)
    monitor.access(w, op, {MemorySpace::Scratch, kind, scratch, addresses, bytes, at});
  if (lanes & ~scratch)
    monitor.access(w, op, {MemorySpace::Global, kind, lanes & ~scratch, addresses, bytes, at});
}
void reportLane(Wave &w, const MicroOp *op, int lane, uint64_t address, unsigned bytes, unsigned at) {
  if (lane < 0) {
    w.group->monitor->access(w, op, {MemorySpace::Scalar, getAccessKind(Opcode(op->opcode)), 1, &address, bytes, at});
    return;
  }
  uint64_t addresses[Wave::width];
  addresses[lane] = address;
  reportAccess(w, op, uint64_t(1) << lane, addresses, bytes, at);
}
void reportLds(Wave &w, const MicroOp *op, AccessKind kind, uint64_t lanes, const uint64_t *addresses, unsigned bytes,
               unsigned at) {
  uint64_t offsets[Wave::width];
  for (unsigned lane = 0; lane < Wave::width; ++lane)
    offsets[lane] = addresses[lane] - reinterpret_cast<uint64_t>(w.group->lds);
  w.group->monitor->access(w, op, {MemorySpace::Lds, kind, lanes, offsets, bytes, at});
}
void storeLdsLane(Wave &w, const MicroOp *op, unsigned lane, uint64_t offset, const void *data, unsigned bytes) {
  if (watched(w)) {
    uint64_t offsets[Wave::width];
    offsets[lane] = offset;
    w.group->monitor->access(w, op, {MemorySpace::Lds, AccessKind::Store, uint64_t(1) << lane, offsets, bytes});
  }
  if (insideLds(w, offset, bytes))
    std::memcpy(w.group->lds + offset, data, bytes);
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
