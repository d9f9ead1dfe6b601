// Finds results used before an s_waitcnt proves that they have arrived.
//
// The check finds three mistakes. An instruction reads or overwrites a register that an outstanding operation will
// write. A wave touches LDS that its own outstanding load to LDS will write. A wave passes a barrier with outstanding
// LDS accesses whose bytes another wave then uses. Global memory needs no wait at a workgroup's barrier: the waves
// share one cache, in order (LLVM AMDGPUUsage, memory model of gfx90a and gfx942 outside threadgroup split mode).
#include "runtime/emulator/checks/Checker.h"
#include "runtime/emulator/checks/WaitQueue.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/instructions/Wave.h"

#include <sstream>
#include <unordered_map>

namespace nstf::emulator::checks {
namespace {

/// LDS accesses that were outstanding when their wave passed the workgroup's last barrier.
struct UnsafeAccess {
  unsigned wave;
  const MicroOp *op;
  bool writes;
  ByteRanges bytes;
  std::string wait; ///< the missing wait
};

struct WaveState {
  WaitQueue queue;
  bool touchedLds = false, touchedMemory = false; // by the current instruction
  ByteRanges lds;
};

class WaitCheck final : public Check {
public:
  using Check::Check;

  void launchBegins(const Launch &) override { clear(); }
  void launchEnds(const Launch &) override { clear(); }
  void groupEnds(Workgroup &group) override {
    for (Wave *wave : group.waves)
      waves.erase(wave);
    unsafe.erase(&group);
  }
  void waveBegins(Wave &wave) override { waves[&wave] = {}; }
  void instruction(Wave &wave, const MicroOp *op) override;
  void access(Wave &wave, const MicroOp *op, const MemoryAccess &access) override;
  void retired(Wave &wave, const MicroOp *op) override;
  void barrier(Workgroup &group) override;

private:
  void clear() {
    waves.clear();
    unsafe.clear();
  }
  void checkUse(Wave &wave, const MicroOp *op, const InstructionFacts &facts, const RegisterUse &use, bool overwrites,
                WaveState &state);
  std::string place(const MicroOp *op) const {
    const DecodedProgram &program = context.facts->program();
    std::ostringstream text;
    text << '\'' << program.getText(op) << "' at 0x" << std::hex << program.getAddress(op);
    return text.str();
  }

  std::unordered_map<const Wave *, WaveState> waves;
  std::unordered_map<const Workgroup *, std::vector<UnsafeAccess>> unsafe;
};

/// Results that return in the order of issue may go to the same register.
bool returnsInOrder(const InstructionFacts &first, const InstructionFacts &second) {
  return first.kind == second.kind &&
         (first.kind == InstructionKind::VectorMemory || first.kind == InstructionKind::Lds);
}

void WaitCheck::checkUse(Wave &wave, const MicroOp *op, const InstructionFacts &facts, const RegisterUse &use,
                         bool overwrites, WaveState &state) {
  // The half of a register that a d16 load keeps is not a read: these chips write the whole register.
  bool asResult = overwrites || (use.role == OperandRole::Old && (facts.loads || facts.atomic));
  while (state.queue.awaits(use)) {
    // The operation that concerns the instruction, among those that write registers of `use`.
    PendingOperation *found = nullptr;
    for (PendingOperation &operation : state.queue.operations) {
      if (!operation.lanes || (asResult && returnsInOrder(*operation.facts, facts)))
        continue;
      if (use.vector && facts.laneWise && !(operation.lanes & wave.exec()))
        continue;
      for (const RegisterUse &result : operation.facts->writes)
        if (result.overlaps(use))
          found = &operation;
      if (found)
        break;
    }
    if (!found)
      return;
    std::string what = describe(use) + (overwrites ? " is overwritten" : " is read") + " before " + place(found->op) +
                       (found->facts->atomic ? ", which returns a value there," : ", which loads it,") +
                       " is known to be done: expected " + state.queue.neededWait(*found) +
                       " (outstanding: " + state.queue.outstanding(*found) + ")";
    uint64_t lanes = use.vector ? found->lanes & (facts.laneWise ? wave.exec() : ~uint64_t(0)) : 0;
    context.report(wave, op, "wait", std::move(what), lanes);
    state.queue.release(*found);
  }
}

void WaitCheck::instruction(Wave &wave, const MicroOp *op) {
  const InstructionFacts &facts = context.facts->of(op);
  WaveState &state = waves[&wave];
  if (facts.kind == InstructionKind::Wait) {
    state.queue.wait(facts.waits);
    return;
  }
  state.touchedLds = state.touchedMemory = false;
  state.lds.clear();
  if (state.queue.operations.empty())
    return;
  for (const RegisterUse &use : facts.reads)
    checkUse(wave, op, facts, use, false, state);
  for (const RegisterUse &use : facts.writes)
    checkUse(wave, op, facts, use, true, state);
}

void WaitCheck::access(Wave &wave, const MicroOp *op, const MemoryAccess &access) {
  WaveState &state = waves[&wave];
  (access.space == MemorySpace::Lds ? state.touchedLds : state.touchedMemory) = true;
  if (access.space != MemorySpace::Lds)
    return;
  const InstructionFacts &facts = context.facts->of(op);
  auto others = unsafe.find(wave.group);
  bool fromDma = false;
  for (const PendingOperation &operation : state.queue.operations)
    fromDma |= operation.facts->toLds;
  for (unsigned lane = 0; lane < Wave::width; ++lane) {
    if (!(access.lanes >> lane & 1))
      continue;
    uint32_t begin = uint32_t(access.addresses[lane]);
    state.lds.add(begin, access.bytes);
    if (fromDma && !facts.toLds)
      for (PendingOperation &operation : state.queue.operations)
        if (operation.facts->toLds && operation.lds.overlaps(begin, access.bytes)) {
          context.report(
              wave, op, "wait",
              "LDS is used before " + place(operation.op) + ", which loads into it, is known to be done: expected " +
                  state.queue.neededWait(operation) + " (outstanding: " + state.queue.outstanding(operation) + ")",
              uint64_t(1) << lane);
          operation.lds.clear();
        }
    if (others == unsafe.end())
      continue;
    for (UnsafeAccess &other : others->second)
      if (other.wave != wave.number && (other.writes || access.kind != AccessKind::Load) &&
          other.bytes.overlaps(begin, access.bytes)) {
        context.report(wave, op, "wait",
                       "LDS that wave " + std::to_string(other.wave) + (other.writes ? " writes" : " reads") + " by " +
                           place(other.op) + " is used behind a barrier that wave went through without " + other.wait,
                       uint64_t(1) << lane);
        other.bytes.clear();
      }
  }
}

void WaitCheck::retired(Wave &wave, const MicroOp *op) {
  const InstructionFacts &facts = context.facts->of(op);
  if (!facts.countsVm && !facts.countsLgkm)
    return;
  WaveState &state = waves[&wave];
  PendingOperation operation;
  operation.op = op;
  operation.facts = &facts;
  bool scalar = facts.kind == InstructionKind::ScalarMemory;
  operation.lanes = scalar ? 1 : wave.exec();
  operation.writesLds = facts.toLds || facts.stores;
  operation.lds = std::move(state.lds);
  state.lds.clear();
  state.queue.add(std::move(operation), state.touchedLds, state.touchedMemory);
}

void WaitCheck::barrier(Workgroup &group) {
  std::vector<UnsafeAccess> &list = unsafe[&group];
  list.clear();
  for (Wave *wave : group.waves) {
    auto state = waves.find(wave);
    if (state == waves.end() || wave->status == WaveStatus::Ended)
      continue;
    for (const PendingOperation &operation : state->second.queue.operations)
      if (!operation.lds.empty())
        list.push_back({wave->number, operation.op, operation.writesLds, operation.lds,
                        state->second.queue.neededWait(operation)});
  }
  if (list.empty())
    unsafe.erase(&group);
}

} // namespace

std::unique_ptr<Check> makeWaitCheck(CheckContext &context) { return std::make_unique<WaitCheck>(context); }

} // namespace nstf::emulator::checks
