// Special LDS instructions.
//
// Pairs of exchanges, addresses by the lane's number, and the counters of ds_append and ds_consume, which a wave
// changes once as a whole. Operands are as in Lds.cpp; beyond the workgroup's LDS, loads return zero and stores are
// dropped, as there.
#include "runtime/emulator/decode/MicroOpFlags.h"
#include "runtime/emulator/instructions/Access.h"
#include "runtime/emulator/instructions/HandlerTable.h"

#include <array>
#include <bit>

namespace nstf::emulator {
namespace {

constexpr unsigned width = Wave::width;

/// The value at `offset`.
template <typename T> T loadLds(const Wave &w, uint64_t offset) {
  T value = {};
  if (insideLds(w, offset, sizeof(T)))
    std::memcpy(&value, w.group->lds + offset, sizeof(T));
  return value;
}
template <typename T> void storeLds(Wave &w, uint64_t offset, T value) {
  if (insideLds(w, offset, sizeof(T)))
    std::memcpy(w.group->lds + offset, &value, sizeof(T));
}
/// Reports to a monitor the lanes' accesses at LDS offsets.
void report(Wave &w, const MicroOp *op, AccessKind kind, uint64_t lanes, const uint64_t *offsets, unsigned bytes,
            unsigned at = 0) {
  if (watched(w) && lanes)
    w.group->monitor->access(w, op, {MemorySpace::Lds, kind, lanes, offsets, bytes, at});
}

/// ds_wrxchg2: two values exchanged, at offsets in units of the element (times `stride`).
template <typename T, unsigned stride> const MicroOp *exchangeTwo(Wave &w, const MicroOp *op) {
  constexpr unsigned rows = sizeof(T) / 4;
  const uint32_t *base = w.row(op->source[0]);
  uint64_t exec = w.exec(), offsets[2][width];
  for (unsigned k = 0; k < 2; ++k) {
    for (unsigned lane = 0; lane < width; ++lane)
      offsets[k][lane] = base[lane] + uint32_t((op->immediate >> 8 * k & 0xff) * sizeof(T) * stride);
    report(w, op, AccessKind::Atomic, exec, offsets[k], sizeof(T), k * sizeof(T));
  }
  uint32_t results[2 * rows][width];
  for (uint64_t left = exec; left; left &= left - 1) {
    unsigned lane = unsigned(std::countr_zero(left));
    for (unsigned k = 0; k < 2; ++k) {
      const uint32_t *from = w.row(op->source[1 + k]);
      std::array<uint32_t, rows> old = loadLds<decltype(old)>(w, offsets[k][lane]), next;
      for (unsigned r = 0; r < rows; ++r)
        next[r] = from[r * width + lane];
      storeLds(w, offsets[k][lane], next);
      for (unsigned r = 0; r < rows; ++r)
        results[k * rows + r][lane] = old[r];
    }
  }
  uint32_t *to = w.destination(op);
  for (uint64_t left = exec; left; left &= left - 1)
    for (unsigned lane = unsigned(std::countr_zero(left)), r = 0; r < 2 * rows; ++r)
      to[r * width + lane] = results[r][lane];
  return op + 1;
}
constexpr Handler exchange32 = exchangeTwo<uint32_t, 1>, exchange64 = exchangeTwo<uint64_t, 1>;
constexpr Handler exchange32Apart = exchangeTwo<uint32_t, 64>, exchange64Apart = exchangeTwo<uint64_t, 64>;

/// M0[15:0] plus the instruction's offset.
uint64_t offsetByM0(const Wave &w, const MicroOp *op) { return (w.scalars[sgpr::m0] & 0xffff) + op->immediate; }

/// ds_read_addtid, ds_write_addtid: one dword for each lane, consecutive.
template <bool isStore> const MicroOp *byLane(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec(), offsets[width];
  for (unsigned lane = 0; lane < width; ++lane)
    offsets[lane] = offsetByM0(w, op) + 4 * lane;
  report(w, op, isStore ? AccessKind::Store : AccessKind::Load, exec, offsets, 4);
  const uint32_t *from = w.row(op->source[1]);
  uint32_t *to = w.destination(op);
  for (uint64_t left = exec; left; left &= left - 1) {
    unsigned lane = unsigned(std::countr_zero(left));
    if (isStore)
      storeLds(w, offsets[lane], from[lane]);
    else
      to[lane] = loadLds<uint32_t>(w, offsets[lane]);
  }
  return op + 1;
}
constexpr Handler readByLane = byLane<false>, writeByLane = byLane<true>;

/// ds_append, ds_consume: the dword at M0 is raised or lowered by the number of active lanes, which all get its old
/// value.
template <int sign> const MicroOp *count(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  if (!exec)
    return op + 1;
  unsigned first = unsigned(std::countr_zero(exec));
  uint64_t offsets[width];
  offsets[first] = offsetByM0(w, op) & ~uint64_t(3);
  report(w, op, AccessKind::Atomic, uint64_t(1) << first, offsets, 4);
  uint32_t old = loadLds<uint32_t>(w, offsets[first]);
  storeLds(w, offsets[first], old + uint32_t(sign * std::popcount(exec)));
  for (uint64_t left = exec; left; left &= left - 1)
    w.destination(op)[std::countr_zero(left)] = old;
  return op + 1;
}
constexpr Handler append = count<1>, consume = count<-1>;

const MicroOp *nothing(Wave &, const MicroOp *op) { return op + 1; }

} // namespace

void enterLdsSpecial(HandlerTable &table) {
#define LDSSPECIAL(name, bytes, effect, traits, meaning) table[unsigned(Opcode::name)] = meaning;
#include "runtime/emulator/decode/Instructions.def"
}

} // namespace nstf::emulator
