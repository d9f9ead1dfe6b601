// s_getreg and s_setreg.
//
// Layouts: "CDNA3 Instruction Set Architecture", "Hardware registers", and AMD's public sq headers for HW_ID.
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/instructions/HandlerTable.h"
#include "runtime/emulator/instructions/MemorySpace.h"
#include "runtime/emulator/instructions/Wave.h"
#include "runtime/emulator/memory/CodeObject.h"

namespace nstf::emulator {
namespace {

/// hwreg operand: id | offset << 6 | (width - 1) << 11.
struct HardwareRegister {
  unsigned id, offset, width;
  explicit HardwareRegister(uint64_t operand)
      : id(operand & 63), offset(operand >> 6 & 31), width((operand >> 11 & 31) + 1) {}
  uint32_t mask() const { return uint32_t((uint64_t(1) << width) - 1); }
};
enum : unsigned {
  regMode = 1,
  regStatus = 2,
  regTrapStatus = 3,
  regHardwareId = 4,
  regGprAlloc = 5,
  regLdsAlloc = 6,
  regIbStatus = 7,
  regMemoryBases = 15,
  regXccId = 20
};

uint32_t statusOf(const Wave &w) {
  bool inGroup = w.group->launch->wavesPerGroup > 1;
  return uint32_t(w.scc()) | uint32_t(w.exec() == 0) << 9 | uint32_t(w.scalar64(sgpr::vcc) == 0) << 10 |
         uint32_t(inGroup) << 11 | 1u << 16; // valid
}

uint32_t gprAllocation(const Wave &w) {
  const Kernel *kernel = w.group->launch->kernel;
  uint32_t granules = kernel ? (kernel->descriptor.vgprs + 7) / 8 : vgprRows / 8;
  return (granules ? granules - 1 : 0) << 8 | 6u << 24; // 112 SGPRs, in units of 16, minus 1
}

uint32_t hardwareId(const Wave &w) {
  const uint32_t unitsOfEngine = w.group->launch->target->computeUnitsPerEngine;
  const uint32_t engine = w.place.computeUnit / unitsOfEngine, unit = w.place.computeUnit % unitsOfEngine;
  return w.place.slot | w.place.simd << 4 | unit << 8 | engine << 13;
}

uint32_t getValue(const Wave &w, unsigned id) {
  switch (id) {
  case regMode:
    return w.mode;
  case regStatus:
    return statusOf(w);
  case regHardwareId:
    return hardwareId(w);
  case regXccId:
    return w.place.xcd;
  case regGprAlloc:
    return gprAllocation(w);
  case regLdsAlloc:
    return (w.group->launch->ldsBytes + 511) / 512 << 12;
  case regMemoryBases:
    return privateApertureHigh >> 16 | sharedApertureHigh;
  case regTrapStatus: // no exception has been raised
  case regIbStatus:   // nothing is outstanding
  default:
    return 0;
  }
}

const MicroOp *writeRegister(Wave &w, const MicroOp *op, uint32_t value) {
  HardwareRegister reg(op->immediate);
  if (reg.id != regMode) // trap handler state and others: no effect on results
    return op + 1;
  uint32_t mask = reg.mask() << reg.offset;
  w.mode = (w.mode & ~mask) | (value << reg.offset & mask);
  w.next = op + 1; // the run loop continues by the new MODE
  w.status = WaveStatus::Running;
  return nullptr;
}

} // namespace

const MicroOp *getreg(Wave &w, const MicroOp *op) {
  HardwareRegister reg(op->immediate);
  w.scalars[op->destination] = getValue(w, reg.id) >> reg.offset & reg.mask();
  return op + 1;
}
const MicroOp *setreg(Wave &w, const MicroOp *op) {
  return writeRegister(w, op, w.scalarSource<uint32_t>(op->source[0]));
}
const MicroOp *setregImmediate(Wave &w, const MicroOp *op) { return writeRegister(w, op, op->flags); }

} // namespace nstf::emulator
