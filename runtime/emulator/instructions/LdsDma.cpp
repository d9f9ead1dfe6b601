// Moves between LDS and scratch or a buffer without registers.
//
// Lane i's dword in LDS is at M0 plus the instruction's offset plus 4 i. Global and buffer loads to LDS are in
// Global.cpp and Buffer.cpp; this file has the scratch loads and gfx90a's store.
#include "runtime/emulator/instructions/BufferAccess-inl.h"
#include "runtime/emulator/instructions/HandlerTable.h"

namespace nstf::emulator {
namespace {

using HWY_NAMESPACE::BufferAccess;
using HWY_NAMESPACE::Place;
constexpr unsigned width = Wave::width;

uint64_t ldsOffset(const Wave &w, const MicroOp *op, unsigned lane) {
  return (w.scalars[sgpr::m0] & 0xffff) + op->immediate + lane * 4;
}

/// The dwords of a lane's scratch are interleaved over the wave's lanes.
template <typename T> const MicroOp *scratchToLds(Wave &w, const MicroOp *op) {
  uint32_t base = uint32_t(op->immediate);
  if (op->flags & memoryScalarBase)
    base += w.scalarSource<uint32_t>(op->source[1]);
  const uint32_t *offsets = w.row(op->source[0]);
  for (uint64_t left = w.exec(); left; left &= left - 1) {
    unsigned lane = unsigned(std::countr_zero(left));
    uint32_t offset = base + (op->flags & memoryVectorOffset ? offsets[lane] : 0);
    uint64_t address = w.scratch + uint64_t(offset / 4) * (width * 4) + lane * 4 + offset % 4;
    if (watched(w))
      reportLane(w, op, int(lane), address, sizeof(T), 0);
    if (uint64_t(offset) + sizeof(T) > w.group->launch->scratchBytes || offset % sizeof(T))
      throw WaveFault{op,
                      "access of " + std::to_string(sizeof(T)) + " bytes at scratch offset " + std::to_string(offset) +
                          ", but a lane has " + std::to_string(w.group->launch->scratchBytes) + " bytes",
                      int(lane)};
    T value;
    std::memcpy(&value, reinterpret_cast<const void *>(address), sizeof(T));
    uint32_t extended = uint32_t(int32_t(value));
    storeLdsLane(w, op, lane, ldsOffset(w, op, lane), &extended, 4);
  }
  return op + 1;
}

const MicroOp *ldsToBuffer(Wave &w, const MicroOp *op) {
  BufferAccess<width> access(w, op);
  uint64_t exec = w.exec(), offsets[width];
  for (unsigned lane = 0; lane < width; ++lane)
    offsets[lane] = ldsOffset(w, op, lane);
  if (watched(w) && exec)
    w.group->monitor->access(w, op, {MemorySpace::Lds, AccessKind::Load, exec, offsets, 4});
  for (uint64_t left = exec; left; left &= left - 1) {
    unsigned lane = unsigned(std::countr_zero(left));
    uint32_t value = 0;
    if (insideLds(w, offsets[lane], 4))
      std::memcpy(&value, w.group->lds + offsets[lane], 4);
    Place p = access.place(lane);
    if (!access.inside(p, 4))
      continue;
    uint64_t address = access.address(p);
    checkAccess(w, op, int(lane), address, 4, true);
    std::memcpy(reinterpret_cast<void *>(address), &value, 4);
  }
  return op + 1;
}

using ubyte = uint8_t;
using sbyte = int8_t;
using ushort = uint16_t;
using sshort = int16_t;
template <unsigned> using dword = uint32_t;

} // namespace

void enterLdsDma(HandlerTable &table) {
#define SCRATCHTOLDS(name, kind) table[unsigned(Opcode::name)] = scratchToLds<kind>;
#define LDSTOBUFFER(name) table[unsigned(Opcode::name)] = ldsToBuffer;
#include "runtime/emulator/decode/Instructions.def"
}

} // namespace nstf::emulator
