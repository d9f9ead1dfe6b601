#include "runtime/emulator/timing/sample/SkippedTime.h"
#include "runtime/emulator/timing/prediction/ScaledCounters.h"
#include "runtime/emulator/timing/record/RoundSkipper.h"
#include "runtime/emulator/timing/record/TimingFacts.h"

#include <algorithm>
#include <cmath>

namespace nstf::emulator::timing {
namespace {

uint64_t &slotsOf(Counters &counters, const TimingFact &fact) {
  switch (fact.unit) {
  case Unit::Matrix:
  case Unit::MatrixVector:
    return counters.matrixInstructions;
  case Unit::Vector:
  case Unit::Double:
  case Unit::IntegerMultiply:
  case Unit::Transcendental:
  case Unit::PackedFloat:
    return counters.vectorInstructions;
  case Unit::Scalar:
    return counters.scalarInstructions;
  case Unit::ScalarMemory:
    return counters.scalarMemoryInstructions;
  case Unit::VectorMemory:
    return fact.is(TimingFact::load) ? counters.vectorReadInstructions : counters.vectorWriteInstructions;
  case Unit::Lds:
    return counters.ldsInstructions;
  case Unit::Branch:
    return counters.branchInstructions;
  case Unit::Message:
    return counters.messageInstructions;
  case Unit::Internal:
    break;
  }
  return counters.internalInstructions;
}

} // namespace

void SkippedTime::add(uint32_t branch, const SkippedRounds &rounds, Clocks measured, Clocks before, uint64_t waves) {
  if (!rounds.rounds)
    return;
  Loop &loop = loops.try_emplace(branch, Loop{rounds.head}).first->second;
  loop.rounds += rounds.rounds;
  skippedInstructions += rounds.instructions;
  const double clocks = double(rounds.rounds) * double(measured) / RoundSkipper::measured;
  waveClocks += clocks;
  total += clocks / double(std::max<uint64_t>(waves, 1));
  if (before) {
    later += double(measured);
    earlier += double(before);
  }
}

double SkippedTime::drift() const {
  return later + earlier > 0 ? 2 * std::abs(later - earlier) / (later + earlier) : 0;
}

void SkippedTime::complete(const TimingFacts &facts, Counters &counters, MemoryCounters &memory,
                           StallTable &stalls) const {
  if (loops.empty())
    return;
  const Counters before = counters;
  for (const auto &[branch, loop] : loops) {
    const double recorded = double(std::max<uint64_t>(stalls[branch].issued, 1));
    for (uint32_t i = loop.head; i <= branch; ++i) {
      const uint64_t issued = stalls[i].issued;
      scale(stalls[i], (recorded + double(loop.rounds)) / recorded);
      slotsOf(counters, facts[i]) += stalls[i].issued - issued;
    }
  }
  auto follow = [&](Clocks &clocks, auto count) {
    const uint64_t then = count(before);
    if (then)
      clocks = Clocks(std::llround(double(clocks) * double(count(counters)) / double(then)));
  };
  auto ldsOf = [](const Counters &c) { return c.ldsInstructions; };
  follow(counters.vectorBusy, [](const Counters &c) { return c.vectorInstructions; });
  follow(counters.matrixBusy, [](const Counters &c) { return c.matrixInstructions; });
  follow(counters.ldsBusy, ldsOf);
  follow(counters.ldsConflicts, ldsOf);
  follow(counters.addressBusy, [](const Counters &c) { return c.vectorReadInstructions + c.vectorWriteInstructions; });
  counters.waveClocks += Clocks(waveClocks);
  follow(counters.busyClocks, [](const Counters &c) { return c.waveClocks; });
  auto ratio = [](uint64_t now, uint64_t then) { return then ? double(now) / double(then) : 1; };
  scale(memory, ratio(counters.vectorReadInstructions, before.vectorReadInstructions),
        ratio(counters.vectorWriteInstructions, before.vectorWriteInstructions));
}

} // namespace nstf::emulator::timing
