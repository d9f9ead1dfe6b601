// LDS instructions with a way of their own.
//
// Pairs of exchanges, addresses by the lane's number, and the counters of ds_append and ds_consume, which the wave as a
// whole changes once. The operands are as in Lds.cpp; what is past the workgroup's LDS is a fault as there.
#include "runtime/emulator/decode/MicroOpFlags.h"
#include "runtime/emulator/instructions/Access.h"
#include "runtime/emulator/instructions/HandlerTable.h"

#include <bit>

namespace nstf::emulator {
namespace {

constexpr unsigned width = Wave::width;

/// Host address of `offset`, checked; `at` says where the bytes stand in the lane's data.
uint8_t *ldsPlace(Wave &w, const MicroOp *op, unsigned lane, uint64_t offset, unsigned bytes) {
  if (offset + bytes > w.group->launch->ldsBytes)
    throwOutsideLds(w, op, int(lane), offset, bytes);
  return w.group->lds + offset;
}
/// Tells a monitor of the lanes' accesses at LDS offsets.
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
      uint8_t *place = ldsPlace(w, op, lane, offsets[k][lane], sizeof(T));
      const uint32_t *from = w.row(op->source[1 + k]);
      uint32_t old[rows], next[rows];
      for (unsigned r = 0; r < rows; ++r)
        next[r] = from[r * width + lane];
      std::memcpy(old, place, sizeof(T));
      std::memcpy(place, next, sizeof(T));
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

/// ds_read_addtid, ds_write_addtid: a dword for each lane, one behind the other.
template <bool isStore> const MicroOp *byLane(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec(), offsets[width];
  for (unsigned lane = 0; lane < width; ++lane)
    offsets[lane] = offsetByM0(w, op) + 4 * lane;
  report(w, op, isStore ? AccessKind::Store : AccessKind::Load, exec, offsets, 4);
  const uint32_t *from = w.row(op->source[1]);
  uint32_t *to = w.destination(op);
  for (uint64_t left = exec; left; left &= left - 1) {
    unsigned lane = unsigned(std::countr_zero(left));
    uint8_t *place = ldsPlace(w, op, lane, offsets[lane], 4);
    if (isStore)
      std::memcpy(place, &from[lane], 4);
    else
      std::memcpy(&to[lane], place, 4);
  }
  return op + 1;
}
constexpr Handler readByLane = byLane<false>, writeByLane = byLane<true>;

/// ds_append, ds_consume: the dword at M0 goes up or down by the number of active lanes; all of them get what it was.
template <int sign> const MicroOp *count(Wave &w, const MicroOp *op) {
  uint64_t exec = w.exec();
  if (!exec)
    return op + 1;
  unsigned first = unsigned(std::countr_zero(exec));
  uint64_t offsets[width];
  offsets[first] = offsetByM0(w, op) & ~uint64_t(3);
  report(w, op, AccessKind::Atomic, uint64_t(1) << first, offsets, 4);
  uint8_t *place = ldsPlace(w, op, first, offsets[first], 4);
  uint32_t old;
  std::memcpy(&old, place, 4);
  uint32_t next = old + uint32_t(sign * std::popcount(exec));
  std::memcpy(place, &next, 4);
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
