// Control flow and barriers.
//
// Targets of branches are resolved when the code is decoded, those of calls and indirect jumps when control gets there
// (DecodedProgram::at). Cache and wait instructions do nothing: every access is complete when its micro-op has run.
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/NotExecuted.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/instructions/HandlerTable.h"
#include "runtime/emulator/instructions/HostInterrupts.h"
#include "runtime/emulator/instructions/Wave.h"

namespace nstf::emulator {

// HardwareRegisters.cpp
const MicroOp *getreg(Wave &w, const MicroOp *op);
const MicroOp *setreg(Wave &w, const MicroOp *op);
const MicroOp *setregImmediate(Wave &w, const MicroOp *op);

namespace {

const MicroOp *stop(Wave &w, const MicroOp *next, WaveStatus status) {
  w.next = next;
  w.status = status;
  return nullptr;
}

const MicroOp *nothing(Wave &, const MicroOp *op) { return op + 1; }
const MicroOp *yield(Wave &w, const MicroOp *op) { return stop(w, op + 1, WaveStatus::Yielded); }
/// s_sleep: for 64 clocks, as often as it says; a loop that waits for a time ends the sooner.
const MicroOp *sleep(Wave &w, const MicroOp *op) {
  w.clock += 64 * (op->immediate & 127);
  return yield(w, op);
}
const MicroOp *end(Wave &w, const MicroOp *op) { return stop(w, op, WaveStatus::Ended); }
const MicroOp *barrier(Wave &w, const MicroOp *op) { return stop(w, op + 1, WaveStatus::AtBarrier); }
const MicroOp *halt(Wave &w, const MicroOp *op) {
  if (op->immediate & 1)
    throw WaveFault{op, "the wave halts for ever"};
  return op + 1;
}
/// "User Guide for AMDGPU Backend", "Trap Handler ABI": 3 is a breakpoint, which has no effect without a debugger.
const MicroOp *trap(Wave &, const MicroOp *op) {
  if (op->immediate == 3)
    return op + 1;
  throw WaveFault{op, "trap " + std::to_string(op->immediate) + (op->immediate == 2 ? " (abort or assertion)" : "")};
}
const MicroOp *sendMessage(Wave &w, const MicroOp *op) {
  constexpr uint64_t idMask = 15, interrupt = 1; // other messages are for other parts of the chip
  HostInterrupts *host = w.group->launch->interrupts;
  if (host && (op->immediate & idMask) == interrupt) {
    try {
      host->raise();
    } catch (const std::runtime_error &error) {
      throw WaveFault{op, error.what()};
    }
  }
  return op + 1;
}
const MicroOp *sendAndHalt(Wave &, const MicroOp *op) { throw WaveFault{op, "the wave halts for ever"}; }
/// s_setkill: ends the wave, as a host command would.
const MicroOp *kill(Wave &w, const MicroOp *op) { return op->immediate & 1 ? end(w, op) : op + 1; }
const MicroOp *unknown(Wave &, const MicroOp *op) {
  std::string what = "no meaning for this instruction";
  if (op->immediate == trapReason::operands)
    what = "no meaning for these operands of an instruction";
  else if (op->immediate >= trapReason::listed)
    what += " (" + std::string(notExecuted()[op->immediate - trapReason::listed].reason) + ")";
  throw WaveFault{op, what};
}

/// A loop may be waiting for another wave: after many rounds, the other waves get a turn.
const MicroOp *taken(Wave &w, const MicroOp *op) {
  const MicroOp *target = branchTarget(op);
  if (target->instruction <= op->instruction && --w.fuel == 0)
    return stop(w, target, WaveStatus::Yielded);
  return target;
}
const MicroOp *branch(Wave &w, const MicroOp *op) { return taken(w, op); }
const MicroOp *branchScc0(Wave &w, const MicroOp *op) { return w.scc() ? op + 1 : taken(w, op); }
const MicroOp *branchScc1(Wave &w, const MicroOp *op) { return w.scc() ? taken(w, op) : op + 1; }
const MicroOp *branchVccz(Wave &w, const MicroOp *op) { return w.scalar64(sgpr::vcc) ? op + 1 : taken(w, op); }
const MicroOp *branchVccnz(Wave &w, const MicroOp *op) { return w.scalar64(sgpr::vcc) ? taken(w, op) : op + 1; }
const MicroOp *branchExecz(Wave &w, const MicroOp *op) { return w.exec() ? op + 1 : taken(w, op); }
const MicroOp *branchExecnz(Wave &w, const MicroOp *op) { return w.exec() ? taken(w, op) : op + 1; }

const MicroOp *jump(Wave &w, const MicroOp *op, uint64_t address) {
  const MicroOp *target = w.group->launch->program->at(address & ~uint64_t(3));
  if (!target)
    throw WaveFault{op, "jump to where no instruction begins", -1, true, address};
  if (target->instruction <= op->instruction && --w.fuel == 0)
    return stop(w, target, WaveStatus::Yielded);
  return target;
}
/// `immediate` is the address of the next instruction; s_call's target is `flags` bytes from there.
const MicroOp *getpc(Wave &w, const MicroOp *op) {
  w.setScalar64(op->destination, op->immediate);
  return op + 1;
}
const MicroOp *setpc(Wave &w, const MicroOp *op) { return jump(w, op, w.scalarSource<uint64_t>(op->source[0])); }
const MicroOp *swappc(Wave &w, const MicroOp *op) {
  uint64_t target = w.scalarSource<uint64_t>(op->source[0]);
  w.setScalar64(op->destination, op->immediate);
  return jump(w, op, target);
}
const MicroOp *call(Wave &w, const MicroOp *op) {
  w.setScalar64(op->destination, op->immediate);
  return jump(w, op, op->immediate + uint64_t(int64_t(int32_t(op->flags))));
}

/// The new value is bit S1 of S0.
const MicroOp *setVectorSkip(Wave &w, const MicroOp *op) {
  bool skip = w.scalarSource<uint32_t>(op->source[0]) >> (w.scalarSource<uint32_t>(op->source[1]) & 31) & 1;
  w.mode = skip ? w.mode | mode::vectorSkip : w.mode & ~mode::vectorSkip;
  return stop(w, op + 1, WaveStatus::Running);
}

const MicroOp *memtime(Wave &w, const MicroOp *op) {
  w.setScalar64(op->destination, w.group->launch->clock->coreClocks(w));
  return op + 1;
}
const MicroOp *memrealtime(Wave &w, const MicroOp *op) {
  w.setScalar64(op->destination, w.group->launch->clock->realTime(w));
  return op + 1;
}

/// s_set_gpr_idx_on: M0[7:0] is the index, M0[15:12] selects the operands that use it; decoding has inserted the
/// redirections already.
const MicroOp *gprIndexOn(Wave &w, const MicroOp *op) {
  uint32_t index = w.scalarSource<uint32_t>(op->source[0]);
  w.scalars[sgpr::m0] = (w.scalars[sgpr::m0] & 0xffff0f00) | (index & 0xff) | uint32_t(op->immediate & 15) << 12;
  return op + 1;
}
const MicroOp *gprIndexOff(Wave &, const MicroOp *op) { return op + 1; }
const MicroOp *gprIndexValue(Wave &w, const MicroOp *op) {
  w.scalars[sgpr::m0] = (w.scalars[sgpr::m0] & 0xffffff00) | (w.scalarSource<uint32_t>(op->source[0]) & 0xff);
  return op + 1;
}
const MicroOp *gprIndexMode(Wave &w, const MicroOp *op) {
  w.scalars[sgpr::m0] = (w.scalars[sgpr::m0] & 0xffff0fff) | uint32_t(op->immediate & 15) << 12;
  return op + 1;
}

/// The SGPR with an operand's number plus M0. `destination` and `scalarDestination` are the operands' numbers.
unsigned relativeSgpr(const Wave &w, const MicroOp *op, unsigned number, unsigned registers) {
  uint64_t index = uint64_t(number) + w.scalars[sgpr::m0];
  if (index + registers > sgpr::flatScratch)
    throw WaveFault{op, "relative SGPR index past s101"};
  return unsigned(index);
}
template <typename T> const MicroOp *moveFromRelative(Wave &w, const MicroOp *op) {
  std::memcpy(w.scalars + op->destination, w.scalars + relativeSgpr(w, op, op->scalarDestination, sizeof(T) / 4),
              sizeof(T));
  return op + 1;
}
template <typename T> const MicroOp *moveToRelative(Wave &w, const MicroOp *op) {
  T value = w.scalarSource<T>(op->source[0]);
  std::memcpy(w.scalars + relativeSgpr(w, op, op->destination, sizeof(T) / 4), &value, sizeof(T));
  return op + 1;
}

class ReadCounter : public ClockSource {
  uint64_t coreClocks(Wave &w) override { return w.clock += 64; }
  uint64_t realTime(Wave &w) override { return w.clock += 64; }
};

} // namespace

ClockSource &readCounter() {
  static ReadCounter counter;
  return counter;
}

void enterControl(HandlerTable &table) {
#define CONTROL(name, kind, meaning) table[unsigned(Opcode::name)] = meaning;
#define CACHE(name, traits) table[unsigned(Opcode::name)] = nothing;
#include "runtime/emulator/decode/Instructions.def"
  table[unsigned(Opcode::Trap)] = unknown;
  table[unsigned(Opcode::Continue)] = branch;
}

} // namespace nstf::emulator
