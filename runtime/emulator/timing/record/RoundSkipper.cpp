#include "runtime/emulator/timing/record/RoundSkipper.h"
#include "runtime/emulator/decode/Instructions.h"
#include "runtime/emulator/instructions/Wave.h"

namespace nstf::emulator::timing {

bool isTaken(const Wave &wave, const MicroOp *op) {
  const Opcode opcode = Opcode(op->opcode);
  switch (opcode) {
  case Opcode::S_CBRANCH_SCC0:
    return !wave.scc();
  case Opcode::S_CBRANCH_SCC1:
    return wave.scc();
  case Opcode::S_CBRANCH_VCCZ:
    return !wave.scalar64(sgpr::vcc);
  case Opcode::S_CBRANCH_VCCNZ:
    return wave.scalar64(sgpr::vcc);
  case Opcode::S_CBRANCH_EXECZ:
    return !wave.exec();
  case Opcode::S_CBRANCH_EXECNZ:
    return wave.exec();
  default:
    return getInfo(opcode).kind == InstructionKind::Branch; // branches on a debugger's flags are never taken
  }
}

bool goesBack(const MicroOp *op) { return int64_t(op->immediate) <= 0; }

bool RoundSkipper::atBranch(const Wave &wave, const MicroOp *op, WaveTrace &trace) {
  const bool taken = isTaken(wave, op);
  if (!goesBack(op) || op->instruction >= end)
    return false;
  if (!taken) {
    branch = none;
    return false;
  }
  if (op->instruction != branch) {
    branch = op->instruction;
    rounds = 0;
    hasSkipped = false;
  }
  ++rounds;
  now = {0, 0, branchTarget(op)->instruction};
  if (!hasSkipped && rounds == first - measured) {
    append(trace, true); // measured from here on
    return true;
  }
  if (rounds < (hasSkipped ? measured : first))
    return false;
  skips = true;
  return true;
}

bool RoundSkipper::skip(const Wave &wave, const MicroOp *op, WaveTrace &trace) {
  if (op->instruction < now.head || op->instruction > branch) { // it left the loop in the middle of a round
    append(trace, true);
    branch = none;
    return false;
  }
  ++now.instructions;
  if (op->instruction != branch)
    return true;
  ++now.rounds;
  const bool taken = isTaken(wave, op);
  if (taken && now.rounds < skipped)
    return true;
  append(trace, taken);
  hasSkipped = true;
  rounds = 0;
  if (!taken)
    branch = none;
  return true;
}

void RoundSkipper::append(WaveTrace &trace, bool taken) {
  trace.append(branch, taken, now);
  skips = false;
}

} // namespace nstf::emulator::timing
