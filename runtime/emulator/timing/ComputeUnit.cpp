#include "runtime/emulator/timing/ComputeUnit.h"

namespace nstf::emulator::timing {
namespace {

/// Priorities are 0 to 3, and 3 goes first.
uint64_t rankOf(unsigned priority, uint64_t age) {
  constexpr unsigned ageBits = 56;
  return uint64_t(3 - std::min(priority, 3u)) << ageBits | age;
}

Slot slotOf(Unit unit) {
  switch (unit) {
  case Unit::Scalar:
  case Unit::ScalarMemory:
    return Slot::Scalar;
  case Unit::VectorMemory:
    return Slot::VectorMemory;
  case Unit::Lds:
    return Slot::Lds;
  case Unit::Branch:
  case Unit::Message:
    return Slot::Branch;
  default:
    return Slot::Vector;
  }
}

/// Accesses come to the memory system in the order of time but for so many clocks: going from one compute unit to the
/// next costs the host more than many an instruction.
constexpr Clocks slack = 16;

bool reachesOut(const TimedWave &wave) {
  return wave.slot == Slot::Fetch || wave.slot == Slot::VectorMemory || wave.unit == Unit::ScalarMemory;
}

/// Other workgroups may notice when it executes.
bool isOrdered(const TimedWave &wave) { return wave.stop && wave.fact->is(TimingFact::stop); }

} // namespace

ComputeUnit::ComputeUnit(unsigned number, const ChipTiming &chip, const TimingFacts &facts,
                         InstructionCache &instructions, Ports &ports, StallTable &stalls, Counters &counters)
    : number(number), chip(chip), facts(facts), instructions(instructions), ports(ports), stalls(stalls),
      counters(counters), lds(chip) {
  for (size_t i = 0; i < simds.size(); ++i)
    simds[i].ldsPort = uint8_t(i * chip.ldsPorts / simds.size());
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
    wave.number = uint8_t(&wave - group.waves.data());
    wave.simd = uint8_t((first + wave.number) % simds.size());
    wave.trace = &group.recorded->waves[wave.number];
    wave.age = placed++;
    wave.rank = rankOf(0, wave.age);
    wave.begun = wave.ready = now + Clocks(wave.number * launchClocks);
    simds[wave.simd].waves.push_back(&wave);
  }
  for (TimedWave &wave : group.waves)
    advance(wave);
  passBarriers();
  planTurns();
}

uint32_t ComputeUnit::simdFor(uint32_t wave) const {
  // Waves go to SIMDs in turn, a group's first to the one with the fewest.
  const auto fewest = std::ranges::min_element(simds, {}, [](const Simd &simd) { return simd.waves.size(); });
  return uint32_t((size_t(fewest - simds.begin()) + wave) % simds.size());
}

uint32_t ComputeUnit::slotFor(uint32_t wave) const {
  return uint32_t(simds[simdFor(wave)].waves.size() + wave / simds.size());
}

Clocks ComputeUnit::next() const { return std::ranges::min_element(simds, {}, &Simd::next)->next; }

Clocks ComputeUnit::run(Clocks now) {
  for (;;) {
    Simd *due = &simds[0]; // of two at once, the one that could have gone sooner
    for (Simd &simd : simds)
      if (std::pair(simd.next, simd.turn) < std::pair(due->next, due->turn))
        due = &simd;
    if (due->next == never)
      return never;
    if (due->next <= lastTurn) {
      due->next = lastTurn + 1;
      continue;
    }
    const Clocks turn = due->next;
    if (turn > now && turn >= horizon)
      return turn;
    const IssueArbiter arbiter = arbitrate(*due, turn);
    if (arbiter.isIdle()) {
      planTurn(*due, turn + 1);
      continue;
    }
    if (turn > now && (arbiter.any(isOrdered) || (turn > now + slack && arbiter.any(reachesOut))))
      return turn;
    takeTurn(*due, arbiter, turn);
  }
}

Clocks ComputeUnit::freeFor(const Simd &simd, const TimedWave &wave) const {
  switch (wave.slot) {
  case Slot::Vector:
    return simd.freeFor(chip, wave);
  case Slot::VectorMemory:
    return addressFree;
  case Slot::Lds:
    return lds.issueFree(simd.ldsPort);
  default:
    return 0;
  }
}

IssueArbiter ComputeUnit::arbitrate(const Simd &simd, Clocks now) const {
  IssueArbiter arbiter;
  Clocks packedWaits = never; // since when: matrix instructions that come later don't overtake it
  for (TimedWave *wave : simd.waves) {
    if (wave->ready > now)
      continue;
    if (freeFor(simd, *wave) <= now)
      arbiter.offer(*wave);
    else if (wave->slot == Slot::Vector && wave->unit == Unit::PackedFloat)
      packedWaits = std::min(packedWaits, wave->ready);
  }
  if (packedWaits != never)
    arbiter.refuse(Slot::Vector, [&](const TimedWave &wave) { return wave.fact->passes && wave.ready > packedWaits; });
  return arbiter;
}

void ComputeUnit::takeTurn(Simd &simd, const IssueArbiter &arbiter, Clocks now) {
  toPlan |= 1u << (&simd - simds.data());
  for (TimedWave *wave : arbiter.winners()) {
    if (!wave)
      continue;
    if (wave->slot == Slot::Fetch) {
      fetch(*wave, now);
    } else {
      simd.turn = now + chip.simdTurnClocks;
      lastTurn = now;
      issue(simd, *wave, now);
    }
  }
  passBarriers();
  planTurns();
}

void ComputeUnit::planTurns() {
  for (Simd &simd : simds)
    if (toPlan >> (&simd - simds.data()) & 1)
      planTurn(simd, simd.turn);
  toPlan = 0;
}

void ComputeUnit::planTurn(Simd &simd, Clocks earliest) {
  simd.next = never;
  for (const TimedWave *wave : simd.waves)
    simd.next = std::min(simd.next, std::max(wave->ready, freeFor(simd, *wave)));
  simd.next = std::max(simd.next, earliest);
}

// Between issues

void ComputeUnit::advance(TimedWave &wave) {
  toPlan |= 1u << wave.simd;
  if (takeEntry(wave))
    settle(wave);
}

void ComputeUnit::settle(TimedWave &wave) {
  while (isFetched(wave) && isConsumed(wave) && takeEntry(wave))
    ;
}

bool ComputeUnit::takeEntry(TimedWave &wave) {
  WaveTrace &trace = *wave.trace;
  wave.stop = false;
  while (trace.empty()) {
    if (trace.end() == TraceEnd::Stop) {
      wave.stop = true;
      wave.entry = {trace.stopInstruction(), 0};
      wave.fact = &facts[wave.entry.instruction];
      return true;
    }
    if (trace.end() == TraceEnd::Ended) {
      end(wave);
      return false;
    }
    ports.fill(*wave.group, wave.number);
  }
  wave.entry = trace.front();
  wave.fact = &facts[wave.entry.instruction];
  trace.pop();
  return true;
}

bool ComputeUnit::isFetched(TimedWave &wave) {
  const uint64_t line = instructions.lineOf(facts.codeAddress(wave.entry.instruction));
  if (line != wave.codeLine) {
    const Clocks there = instructions.find(line);
    if (there == never) {
      wave.slot = Slot::Fetch;
      return false;
    }
    wave.codeLine = line;
    wait(wave, there, Stall::NoInstruction);
  }
  if (wave.fact->is(TimingFact::crosses))
    wait(wave, wave.ready + chip.fetchBoundaryClocks, Stall::NoInstruction);
  return true;
}

bool ComputeUnit::isConsumed(TimedWave &wave) {
  const TimingFact &fact = *wave.fact;
  wave.unit = fact.unit;
  if (fact.unit != Unit::Internal) {
    wave.slot = slotOf(fact.unit);
    if (fact.is(TimingFact::countsVm))
      wait(wave, wave.vector.downTo(std::min(chip.vmemOutstandingPerWave, VectorCounter::max) - 1), Stall::Waitcnt);
    if (fact.is(TimingFact::countsLgkm))
      wait(wave, wave.scalar.downTo(ScalarCounter::max - 1), Stall::Waitcnt);
    return false;
  }
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
  const Clocks opens = group.lastArrival + chip.barrierClocks;
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
  for (size_t i = 0; i < opened.size(); ++i) // grows where they come to the next one
    advance(*opened[i]);
  opened.clear();
}

void ComputeUnit::end(TimedWave &wave) {
  TimedGroup &group = *wave.group;
  const Clocks now = wave.ready;
  group.drained = std::max({group.drained, now, wave.vector.downTo(0), wave.scalar.downTo(0)});
  group.issued += wave.issued;
  counters.waveClocks += now - wave.begun;
  std::erase(simds[wave.simd].waves, &wave);
  wave.ready = never;
  if (!--resident)
    counters.busyClocks += now - busySince;
  group.lastArrival = std::max(group.lastArrival, now); // the others may wait for it at a barrier
  if (--group.running)
    openIfAllArrived(group);
  else
    ports.groupEnded(group, group.drained);
}

void ComputeUnit::wait(TimedWave &wave, Clocks until, Stall reason) {
  if (until <= wave.ready)
    return;
  stalls[wave.entry.instruction].clocks[size_t(reason)] += until - wave.ready;
  wave.ready = until;
}

} // namespace nstf::emulator::timing
