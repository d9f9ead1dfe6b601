// Memory accesses through a buffer resource.
//
// Source: "CDNA3 Instruction Set Architecture", "Vector memory buffer instructions". A resource has a base (48 bits),
// stride, size and swizzle. Raw buffers (no stride, or no index) are checked in bytes against num_records, soffset
// included, each dword separately: dwords outside read zero and are not stored. Structured buffers are checked by
// index. Only accesses that pass must lie in an allocation. gfx90a code reaches scratch by swizzled buffers with the
// lane's number as index.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/emulator/instructions/Buffer.cpp"
#include <hwy/foreach_target.h>

#include "runtime/emulator/decode/MicroOpFlags.h"
#include "runtime/emulator/instructions/Atomics.h"
#include "runtime/emulator/instructions/Buffer.h"
#include "runtime/emulator/instructions/BufferAccess-inl.h"
#include "runtime/emulator/instructions/LaneAddresses.h"

HWY_BEFORE_NAMESPACE();
namespace nstf::emulator::HWY_NAMESPACE {
namespace {

template <typename Kind> void setRow(uint32_t *to, unsigned lane, char *data) {
  if constexpr (isDwords<Kind>) {
    for (unsigned k = 0; k < Kind::rows; ++k)
      std::memcpy(&to[k * Wave::width + lane], data + 4 * k, 4);
  } else {
    to[lane] = Kind::get(reinterpret_cast<uint64_t>(data));
  }
}

/// `buffer_load … lds`: lane i's data goes to LDS at M0 plus the instruction's offset plus i times the data's size.
template <unsigned width, typename Kind>
void loadToLds(Wave &w, const MicroOp *op, const BufferAccess<width> &access, uint64_t exec) {
  uint64_t base = (w.scalars[sgpr::m0] & 0xffff) + op->immediate;
  constexpr unsigned step = Kind::bytes < 4 ? 4 : Kind::bytes;
  for (uint64_t left = exec; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    char data[16] = {};
    moveLane<width, Kind, false>(w, op, access, lane, data);
    storeLdsLane(w, op, lane, base + lane * step, data, step);
  }
}

template <unsigned width, typename Kind> const MicroOp *loadSlowly(Wave &w, const MicroOp *op, uint64_t exec) {
  BufferAccess<width> access(w, op);
  char data[width][16]; // all lanes are loaded first: the destination may hold the offsets
  for (uint64_t left = exec; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    moveLane<width, Kind, false>(w, op, access, lane, data[lane]);
  }
  for (uint64_t left = exec; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    setRow<Kind>(w.destination(op), lane, data[lane]);
  }
  return op + 1;
}

template <unsigned width, typename Kind> const MicroOp *load(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  if (!exec)
    return op + 1;
  BufferAccess<width> access(w, op);
  if (op->flags & bufferToLds) {
    loadToLds<width, Kind>(w, op, access, exec);
    return op + 1;
  }
  uint32_t *to = w.destination(op);
  if (HWY_LIKELY(access.plain())) {
    alignas(64) uint64_t address[width];
    if (HWY_LIKELY(access.wholeAddresses(w, address, exec, Kind::bytes, false))) {
      loadLanes<width, Kind>(to, address, exec);
      return op + 1;
    }
    uint64_t partly, inside = access.rawAddresses(address, exec, Kind::bytes, partly);
    if (HWY_UNLIKELY(partly))
      return loadSlowly<width, Kind>(w, op, exec);
    if (inside) {
      checkLanes<width>(w, op, address, inside, Kind::bytes, false);
      loadLanes<width, Kind>(to, address, inside);
    }
    if (uint64_t outside = exec & ~inside)
      loadZeros<width>(to, Kind::rows, outside);
    return op + 1;
  }
  return loadSlowly<width, Kind>(w, op, exec);
}
template <unsigned width, typename Kind> const MicroOp *store(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  if (!exec)
    return op + 1;
  BufferAccess<width> access(w, op);
  const uint32_t *from = w.row(op->source[2]);
  if (HWY_LIKELY(access.plain())) {
    alignas(64) uint64_t address[width];
    if (HWY_LIKELY(access.wholeAddresses(w, address, exec, Kind::bytes, true))) {
      storeLanes<width, Kind>(from, address, exec);
      return op + 1;
    }
    uint64_t partly, inside = access.rawAddresses(address, exec, Kind::bytes, partly);
    if (HWY_LIKELY(!partly)) {
      if (inside) {
        checkLanes<width>(w, op, address, inside, Kind::bytes, true);
        storeLanes<width, Kind>(from, address, inside);
      }
      return op + 1;
    }
  }
  for (uint64_t left = exec; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    char data[16];
    if constexpr (isDwords<Kind>)
      for (unsigned k = 0; k < Kind::rows; ++k)
        std::memcpy(data + 4 * k, &from[k * width + lane], 4);
    else
      Kind::put(reinterpret_cast<uint64_t>(data), from[lane]);
    moveLane<width, Kind, true>(w, op, access, lane, data);
  }
  return op + 1;
}

template <unsigned width> const MicroOp *atomicModify(Wave &w, const MicroOp *op) {
  const AtomicOperation &operation = atomicOperation(Opcode(op->opcode));
  BufferAccess<width> access(w, op);
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    Place p = access.place(lane);
    if (access.inside(p, operation.bytes)) {
      uint64_t address = access.address(p);
      checkAccess(w, op, int(lane), address, operation.bytes, true);
      modifyLane(w, op, operation, lane, address);
    } else if (op->flags & memoryReturns) {
      w.destination(op)[lane] = 0;
      if (operation.bytes == 8)
        w.destination(op)[lane + width] = 0;
    }
  }
  return op + 1;
}

} // namespace

uint64_t bufferBytesFor(const Wave &w, const MicroOp *op, unsigned bytes, unsigned unit, bool &isScratch) {
  constexpr unsigned width = Wave::width;
  BufferAccess<width> access(w, op);
  isScratch = access.resource.swizzle && access.resource.addLane;
  uint64_t exec = w.exec();
  if (access.plain()) {
    alignas(64) uint64_t address[width];
    uint64_t partly, inside = access.rawAddresses(address, exec, bytes, partly);
    if (!partly)
      return uint64_t(std::popcount(inside)) * bytes;
  }
  uint64_t moved = 0;
  for (uint64_t left = exec; left; left &= left - 1)
    for (unsigned at = 0; at < bytes; at += unit) {
      Place p = access.place(unsigned(std::countr_zero(left)));
      p.offset += at;
      moved += access.inside(p, unit) ? unit : 0;
    }
  return moved;
}

void bufferAddressesFor(const Wave &w, const MicroOp *op, unsigned bytes, LaneAddresses &to) {
  constexpr unsigned width = Wave::width;
  BufferAccess<width> access(w, op);
  const uint64_t exec = w.exec();
  to.lds = 0;
  to.stride = 4;
  if (HWY_LIKELY(access.plain())) {
    uint64_t partly;
    to.memory = access.rawAddresses(to.address, exec, bytes, partly);
    to.memory |= partly;
    return;
  }
  to.memory = 0;
  for (uint64_t left = exec; left; left &= left - 1) {
    const unsigned lane = unsigned(std::countr_zero(left));
    const Place p = access.place(lane);
    if (!access.inside(p, bytes < 4 ? bytes : 4))
      continue;
    to.memory |= uint64_t(1) << lane;
    to.address[lane] = access.address(p);
    to.stride = access.address({p.index, p.offset + 4}) - to.address[lane];
  }
}

void enterBufferFor(HandlerTable &table) {
  constexpr unsigned width = Wave::width;
#define LOAD(name, kind) table[unsigned(Opcode::BUFFER_##name)] = load<width, kind>;
#define STORE(name, kind) table[unsigned(Opcode::BUFFER_##name)] = store<width, kind>;
#define ATOMIC(name, T, meaning) table[unsigned(Opcode::BUFFER_##name)] = atomicModify<width>;
#include "runtime/emulator/decode/Instructions.def"
}

} // namespace nstf::emulator::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace nstf::emulator {
HWY_EXPORT(bufferBytesFor);
uint64_t bufferBytes(const Wave &w, const MicroOp *op, unsigned bytes, unsigned unit, bool &isScratch) {
  return HWY_DYNAMIC_DISPATCH(bufferBytesFor)(w, op, bytes, unit, isScratch);
}
HWY_EXPORT(bufferAddressesFor);
void bufferAddresses(const Wave &w, const MicroOp *op, unsigned bytes, LaneAddresses &to) {
  HWY_DYNAMIC_DISPATCH(bufferAddressesFor)(w, op, bytes, to);
}
HWY_EXPORT(enterBufferFor);
void enterBuffer(HandlerTable &table) { HWY_DYNAMIC_DISPATCH(enterBufferFor)(table); }
} // namespace nstf::emulator
#endif
