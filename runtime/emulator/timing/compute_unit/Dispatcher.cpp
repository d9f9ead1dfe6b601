#include "runtime/emulator/timing/compute_unit/Dispatcher.h"
#include "runtime/emulator/timing/chip/ChipTiming.h"

#include <algorithm>
#include <cmath>

namespace nstf::emulator::timing {
namespace {

/// The known constant (slot_turnaround) ends with the successor's first vector memory instruction. The model itself
/// accounts for the part between the successor's start and that instruction: a scalar load of the arguments and about a
/// dozen instructions.
Clocks turnaroundOf(const ChipTiming &chip, double clockMhz) {
  constexpr unsigned firstInstructions = 12;
  const double modelled = double(chip.scalarLatency) + firstInstructions * double(chip.simdTurnClocks);
  return Clocks(std::lround(std::max(0.0, chip.slotTurnaroundNs * clockMhz / 1000 - modelled)));
}

} // namespace

Dispatcher::Dispatcher(const ChipTiming &chip, double clockMhz, uint64_t groups, uint32_t wavesPerGroup,
                       uint32_t perComputeUnit)
    : groups(groups), computeUnitsPerDie(chip.computeUnitsPerXcd()), waveClocks(1 / chip.wavesLaunchedPerClock),
      groupClocks(std::max(chip.xcds * chip.workgroupLaunchClocks, wavesPerGroup * waveClocks)),
      turnaround(turnaroundOf(chip, clockMhz)), notBegun(groups), dies(chip.xcds) {
  for (size_t i = 0; i < dies.size(); ++i) {
    dies[i].group = i;
    dies[i].freePlaces.assign(computeUnitsPerDie, perComputeUnit);
    dies[i].freeInAll = computeUnitsPerDie * perComputeUnit;
    plan(dies[i]);
  }
}

void Dispatcher::plan(Die &die) {
  die.next = never;
  if (die.group >= groups)
    return;
  if (die.freeInAll)
    die.next = Clocks(std::ceil(die.launched));
  else if (!die.becomingFree.empty())
    die.next = std::max(Clocks(std::ceil(die.launched)), die.becomingFree.top().first);
}

void Dispatcher::takeBack(Die &die, Clocks now) {
  for (; !die.becomingFree.empty() && die.becomingFree.top().first <= now; die.becomingFree.pop()) {
    ++die.freePlaces[die.becomingFree.top().second];
    ++die.freeInAll;
  }
}

Dispatcher::Placement Dispatcher::place(uint32_t xcd) {
  Die &die = dies[xcd];
  const Clocks now = die.next;
  takeBack(die, now);
  while (!die.freePlaces[die.cursor % computeUnitsPerDie])
    ++die.cursor;
  const uint32_t unit = die.cursor++ % computeUnitsPerDie;
  --die.freePlaces[unit];
  --die.freeInAll;
  const Placement placement = {die.group, xcd * computeUnitsPerDie + unit, now};
  die.group += dies.size();
  // Turns are whole clocks, the rate is not: the delay of the previous turn carries over.
  die.launched = (double(now) - die.launched < 1 ? die.launched : double(now)) + groupClocks;
  --notBegun;
  ++groupsStarted;
  plan(die);
  return placement;
}

void Dispatcher::groupEnded(uint32_t computeUnit, Clocks drained) {
  Die &die = dies[computeUnit / computeUnitsPerDie];
  die.becomingFree.emplace(drained + turnaround, computeUnit % computeUnitsPerDie);
  plan(die);
}

bool Dispatcher::places() const {
  return std::ranges::any_of(dies, [](const Die &die) { return die.next != never; });
}

Clocks Dispatcher::earliestAt(uint32_t computeUnit) const {
  const Die &die = dies[computeUnit / computeUnitsPerDie];
  return die.freePlaces[computeUnit % computeUnitsPerDie] || !die.becomingFree.empty() ? die.next : never;
}

} // namespace nstf::emulator::timing
