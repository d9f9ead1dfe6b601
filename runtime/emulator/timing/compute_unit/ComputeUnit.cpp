#include "runtime/emulator/timing/compute_unit/ComputeUnit.h"

#include <span>

namespace nstf::emulator::timing {
namespace {

/// Priorities are 0 to 3; 3 goes first.
uint32_t rankOf(unsigned priority, uint32_t age) {
  constexpr unsigned ageBits = 30;
  return (3 - std::min(priority, 3u)) << ageBits | age;
}

/// The slot and the resource that an instruction needs, by its unit.
struct UnitNeeds {
  Slot slot;
  Needs needs;
  bool reachesOut;
};

constexpr UnitNeeds needsOf(Unit unit) {
  switch (unit) {
  case Unit::Scalar:
    return {Slot::Scalar, Needs::Nothing, false};
  case Unit::ScalarMemory:
    return {Slot::Scalar, Needs::Nothing, true};
  case Unit::VectorMemory:
    return {Slot::VectorMemory, Needs::VectorMemory, true};
  case Unit::Lds:
    return {Slot::Lds, Needs::Lds, false};
  case Unit::Branch:
  case Unit::Message:
    return {Slot::Branch, Needs::Nothing, false};
  case Unit::PackedFloat:
    return {Slot::Vector, Needs::Packed, false};
  case Unit::Matrix:
  case Unit::MatrixVector:
    return {Slot::Vector, Needs::Matrix, false};
  default:
    return {Slot::Vector, Needs::Vector, false};
  }
}

constexpr auto unitNeeds = [] {
  std::array<UnitNeeds, size_t(Unit::Internal) + 1> table = {};
  for (size_t unit = 0; unit < table.size(); ++unit)
    table[unit] = needsOf(Unit(unit));
  return table;
}();

} // namespace

ComputeUnit::ComputeUnit(unsigned number, const ChipTiming &chip, const TimingFacts &facts,
                         InstructionCache &instructions, Ports &ports, StallTable &stalls, Counters &counters)
    : number(number), chip(chip), facts(facts), instructions(instructions), ports(ports), stalls(stalls),
      counters(counters), lds(chip) {
  turns.next.fill(never);
  turns.earliest.fill(0);
  for (size_t i = 0; i < chip.simdsPerComputeUnit; ++i)
    simds[i].ldsPort = uint8_t(i * chip.ldsPorts / chip.simdsPerComputeUnit);
}

// Turns

void ComputeUnit::place(TimedGroup &group, Clocks now, double launchClocks) {
  if (!resident)
    busySince = now;
  const uint32_t first = simdFor(0);
  group.computeUnit = number;
  group.begun = now;
  group.running = uint32_t(group.waves.size());
  resident += group.running;
  ++counters.workgroups;
  counters.waves += group.running;
  for (TimedWave &wave : group.waves) {
    wave.group = &group;
    wave.number = uint32_t(&wave - group.waves.data());
    wave.simd = (first + wave.number) % chip.simdsPerComputeUnit & (maxSimds - 1);
    wave.trace = &group.recorded->waves[wave.number];
    wave.reader = wave.trace->reader();
    wave.age = placed++;
    wave.rank = rankOf(0, wave.age);
    wave.begun = wave.ready = now + Clocks(wave.number * launchClocks);
    std::vector<Simd::Seat> &seats = simds[wave.simd].seats;
    wave.seat = uint8_t(seats.size());
    seats.push_back({wave.ready, &wave, nullptr, wave.rank, Needs::Nothing, wave.slot, false, false});
  }
  for (TimedWave &wave : group.waves)
    advance(wave);
  passBarriers();
  planTurns();
}

uint32_t ComputeUnit::simdFor(uint32_t wave) const {
  // Waves are assigned to SIMDs in turn; a group's first wave goes to the SIMD with the fewest waves.
  const auto present = std::span(simds).first(chip.simdsPerComputeUnit);
  const auto fewest = std::ranges::min_element(present, {}, [](const Simd &simd) { return simd.seats.size(); });
  return (uint32_t(fewest - present.begin()) + wave) % chip.simdsPerComputeUnit;
}

uint32_t ComputeUnit::slotFor(uint32_t wave) const {
  return uint32_t(simds[simdFor(wave)].seats.size() + wave / chip.simdsPerComputeUnit);
}

void ComputeUnit::keepSeat(const TimedWave &wave) {
  Simd::Seat &seat = simds[wave.simd].seats[wave.seat];
  const bool fetches = wave.slot == Slot::Fetch;
  const UnitNeeds &unit = unitNeeds[size_t(wave.unit)];
  seat.ready = wave.ready;
  seat.rank = wave.rank;
  seat.needs = fetches ? Needs::Nothing : unit.needs;
  seat.slot = wave.slot;
  seat.trace = wave.reader.behind(wave.entry);
  seat.reachesOut = fetches || unit.reachesOut;
  seat.isOrdered = wave.stop && wave.fact->is(TimingFact::stop);
}

// Between issues

inline bool ComputeUnit::takeEntry(TimedWave &wave) {
  wave.stop = false;
  if (!wave.entry.following)
    return takeNew(wave);
  --wave.entry.following;
  ++wave.entry.instruction;
  wave.entry.detail = 0;
  ++wave.fact;
  return true;
}

bool ComputeUnit::takeNew(TimedWave &wave) {
  while (wave.reader.empty()) {
    const TraceEnd ending = wave.reader.ending();
    if (ending == TraceEnd::Stop) {
      wave.stop = true;
      wave.entry = {wave.trace->stopInstruction(), 0, 0, 0};
      wave.fact = &facts[wave.entry.instruction];
      return true;
    }
    if (ending == TraceEnd::Ended) {
      end(wave);
      return false;
    }
    fill(wave);
  }
  wave.entry = wave.reader.take();
  wave.fact = &facts[wave.entry.instruction];
  return true;
}

void ComputeUnit::fill(TimedWave &wave) {
  TimedGroup &group = *wave.group;
  for (TimedWave &any : group.waves) // others may have been filled too
    any.trace->readTo(any.reader);
  ports.fill(group, wave.number);
  for (TimedWave &any : group.waves)
    any.reader = any.trace->reader();
}

/// After a taken branch a wave has no instructions: it fetches window by window from the target on. In straight code
/// the fetch is as fast as the fastest instructions, so instructions some windows after the branch do not wait.
void ComputeUnit::awaitWindow(TimedWave &wave, uint64_t address) {
  if (wave.branchTarget == TimedWave::unknownTarget)
    wave.branchTarget = address / chip.fetchWindowBytes;
  const uint64_t fetched = (address + wave.fact->size - 1) / chip.fetchWindowBytes - wave.branchTarget + 1;
  if (fetched > 4)
    wave.branchTarget = TimedWave::noTarget;
  else
    wait(wave, wave.refetch + fetched * chip.fetchWindowClocks, Stall::NoInstruction);
}

inline bool ComputeUnit::isFetched(TimedWave &wave) {
  const uint64_t address = facts.codeAddress(wave.entry.instruction), line = instructions.getLine(address);
  if (line == wave.codeLine && wave.branchTarget == TimedWave::noTarget && !wave.fact->is(TimingFact::crosses))
    return true; // nearly always
  return fetched(wave, address, line);
}

bool ComputeUnit::fetched(TimedWave &wave, uint64_t address, uint64_t line) {
  if (line != wave.codeLine) {
    const Clocks there = instructions.find(line);
    if (there == never) {
      wave.slot = Slot::Fetch;
      return false;
    }
    wave.codeLine = line;
    wait(wave, there, Stall::NoInstruction);
  }
  if (wave.branchTarget != TimedWave::noTarget)
    awaitWindow(wave, address);
  if (wave.fact->is(TimingFact::crosses))
    wait(wave, wave.ready + chip.fetchBoundaryClocks, Stall::NoInstruction);
  return true;
}

inline bool ComputeUnit::isConsumed(TimedWave &wave) {
  const TimingFact &fact = *wave.fact;
  wave.unit = fact.unit;
  if (fact.unit == Unit::Internal)
    return passes(wave);
  wave.slot = unitNeeds[size_t(fact.unit)].slot;
  if (fact.is(TimingFact::countsVm))
    wait(wave, wave.vector.downTo(std::min(chip.vmemOutstandingPerWave, VectorCounter::max) - 1), Stall::Waitcnt);
  if (fact.is(TimingFact::countsLgkm))
    wait(wave, wave.scalar.downTo(ScalarCounter::max - 1), Stall::Waitcnt);
  return false;
}

/// Executes an instruction that takes no slot. Returns whether the wave continues with the next one.
bool ComputeUnit::passes(TimedWave &wave) {
  const TimingFact &fact = *wave.fact;
  const Clocks now = wave.ready;
  if (wave.stop)
    execute(wave, now);
  countIssue(wave);
  ++counters.internalInstructions;
  wave.ready = now + chip.simdTurnClocks;
  switch (fact.internal) {
  case InternalKind::Nop:
    wait(wave, now + Clocks(fact.immediate) * chip.waitStateClocks, Stall::Internal);
    break;
  case InternalKind::Wait:
    if (fact.waitVm != TimingFact::noWait)
      wait(wave, wave.vector.downTo(fact.waitVm), Stall::Waitcnt);
    if (fact.waitLgkm != TimingFact::noWait)
      wait(wave, wave.scalar.downTo(fact.waitLgkm), Stall::Waitcnt);
    break;
  case InternalKind::Barrier:
    arrive(wave);
    return false;
  case InternalKind::Sleep:
    wait(wave, wave.ready + Clocks(fact.immediate) * chip.sleepClocks, Stall::Sleep);
    break;
  case InternalKind::Priority:
    wave.rank = rankOf(fact.immediate, wave.age);
    break;
  case InternalKind::End:
  case InternalKind::None:
    break;
  }
  return true;
}

void ComputeUnit::settle(TimedWave &wave) {
  while (isFetched(wave) && isConsumed(wave))
    if (!takeEntry(wave))
      return; // the wave has ended
  keepSeat(wave);
}

void ComputeUnit::advance(TimedWave &wave) {
  toPlan |= 1u << wave.simd;
  if (takeEntry(wave))
    settle(wave);
}

void ComputeUnit::arrive(TimedWave &wave) {
  TimedGroup &group = *wave.group;
  wave.arrived = wave.ready;
  wave.atBarrier = true;
  wave.ready = never;
  ++group.atBarrier;
  group.lastArrival = std::max(group.lastArrival, wave.arrived);
  openIfAllArrived(group);
}

void ComputeUnit::openIfAllArrived(TimedGroup &group) {
  if (!group.running || group.atBarrier != group.running)
    return;
  const Clocks opens = group.lastArrival + (group.waves.size() > 1 ? chip.barrierClocks : 0);
  group.atBarrier = 0;
  group.lastArrival = 0;
  for (TimedWave &wave : group.waves)
    if (wave.atBarrier) {
      wave.atBarrier = false;
      wave.ready = wave.arrived;
      wait(wave, opens, Stall::Barrier);
      opened.push_back(&wave);
    }
}

void ComputeUnit::passBarriers() {
  for (size_t i = 0; i < opened.size(); ++i) // grows when released waves reach the next barrier
    advance(*opened[i]);
  opened.clear();
}

void ComputeUnit::end(TimedWave &wave) {
  TimedGroup &group = *wave.group;
  const Clocks now = wave.ready;
  group.drained = std::max({group.drained, now, wave.vector.downTo(0), wave.scalar.downTo(0)});
  counters.waveClocks += now - wave.begun;
  simds[wave.simd].leave(wave);
  wave.ready = never;
  if (!--resident)
    counters.busyClocks += now - busySince;
  group.lastArrival = std::max(group.lastArrival, now); // the others may wait for this wave at a barrier
  if (--group.running)
    openIfAllArrived(group);
  else
    ports.groupEnded(group, group.drained);
}

} // namespace nstf::emulator::timing
