#include "runtime/emulator/timing/sample/GroupProbe.h"
#include "runtime/emulator/run/LaunchDriver.h"
#include "runtime/emulator/run/RunLoop.h"
#include "runtime/emulator/timing/record/Outline.h"
#include "runtime/emulator/timing/record/RoundSkipper.h"

#include <algorithm>

namespace nstf::emulator::timing {
namespace {

/// Counts a wave's instructions and the rounds of its long loops.
class Counter {
public:
  Counter(const Outline &outline, const Wave &wave) : outline(outline), wave(wave) {}

  bool executes(const MicroOp *op) const { return outline.executes(op); }
  void operator()(const MicroOp *op) {
    if (op->opcode >= unsigned(Opcode::Trap))
      return;
    ++instructions;
    const InstructionKind kind = getInfo(Opcode(op->opcode)).kind;
    if ((kind == InstructionKind::ConditionalBranch || kind == InstructionKind::Branch) && goesBack(op))
      atBranch(op->instruction, isTaken(wave, op));
  }

  uint64_t instructions = 0, loops = 0;

private:
  void atBranch(uint32_t instruction, bool taken) {
    if (taken && instruction == branch) {
      ++rounds;
      return;
    }
    if (rounds >= RoundSkipper::first)
      loops = (loops ^ branch ^ rounds << 32) * 0x9e3779b97f4a7c15;
    branch = instruction;
    rounds = taken;
  }

  const Outline &outline;
  const Wave &wave;
  uint32_t branch = ~0u;
  uint64_t rounds = 0;
};

/// Runs a wave to its end or to a barrier.
void runOn(const LaunchDriver &driver, const ResidentGroup &group, Wave &wave, Counter &counter) {
  const ResidentGroup *const standing[] = {&group};
  do {
    if (const std::string why = driver.mustEnd(); !why.empty())
      throw stoppedFault(standing, why);
    wave.fuel = fuelOfTurn;
    try {
      runLoop(wave, counter);
    } catch (const WaveFault &fault) {
      throw getFault(fault, wave);
    }
  } while (wave.status == WaveStatus::Yielded);
}

} // namespace

GroupProbe::Result GroupProbe::execute(uint64_t index) {
  std::unique_ptr<ResidentGroup> resident = driver.begin(index);
  std::vector<Wave *> &waves = resident->group.waves;
  std::vector<Counter> counters;
  for (const Wave *wave : waves)
    counters.emplace_back(outline, *wave);
  auto ended = [](const Wave *wave) { return wave->status == WaveStatus::Ended; };
  while (!std::ranges::all_of(waves, ended)) // each wave to its end or the next barrier
    for (size_t i = 0; i < waves.size(); ++i)
      if (!ended(waves[i]))
        runOn(driver, *resident, *waves[i], counters[i]);
  driver.retire(std::move(resident));
  Result result;
  result.loops = counters.front().loops;
  for (const Counter &counter : counters) {
    result.instructions += counter.instructions;
    result.wavesAgree &= counter.loops == result.loops;
  }
  return result;
}

} // namespace nstf::emulator::timing
