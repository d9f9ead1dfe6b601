#include "runtime/emulator/timing/ComputeUnit.h"

namespace nstf::emulator::timing {
namespace {

/// Priorities are 0 to 3, and 3 goes first.
uint32_t rankOf(unsigned priority, uint32_t age) {
  constexpr unsigned ageBits = 30;
  return (3 - std::min(priority, 3u)) << ageBits | age;
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

Needs needsOf(const TimedWave &wave) {
  switch (wave.slot) {
  case Slot::Vector:
    if (wave.unit == Unit::PackedFloat)
      return Needs::Packed;
    return wave.unit == Unit::Matrix || wave.unit == Unit::MatrixVector ? Needs::Matrix : Needs::Vector;
  case Slot::VectorMemory:
    return Needs::VectorMemory;
  case Slot::Lds:
    return Needs::Lds;
  default:
    return Needs::Nothing;
  }
}

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
  turns.next.fill(never);
  turns.earliest.fill(0);
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
    wave.number = uint32_t(&wave - group.waves.data());
    wave.simd = (first + wave.number) % simdCount & 3;
    wave.trace = &group.recorded->waves[wave.number];
    wave.reader = wave.trace->reader();
    wave.age = placed++;
    wave.rank = rankOf(0, wave.age);
    wave.begun = wave.ready = now + Clocks(wave.number * launchClocks);
    std::vector<Simd::Seat> &seats = simds[wave.simd].seats;
    wave.seat = uint8_t(seats.size());
    seats.push_back({wave.ready, &wave, Needs::Nothing});
  }
  for (TimedWave &wave : group.waves)
    advance(wave);
  passBarriers();
  planTurns();
}

uint32_t ComputeUnit::simdFor(uint32_t wave) const {
  // Waves go to SIMDs in turn, a group's first to the one with the fewest.
  const auto fewest = std::ranges::min_element(simds, {}, [](const Simd &simd) { return simd.seats.size(); });
  return uint32_t((size_t(fewest - simds.begin()) + wave) % simds.size());
}

uint32_t ComputeUnit::slotFor(uint32_t wave) const {
  return uint32_t(simds[simdFor(wave)].seats.size() + wave / simds.size());
}

Clocks ComputeUnit::next() const { return std::ranges::min(turns.next); }

Clocks ComputeUnit::run(Clocks now) {
  for (;;) {
    unsigned due = 0; // of two at once, the one that could have gone sooner
    for (unsigned i = 1; i < simdCount; ++i)
      if (turns.next[i] < turns.next[due] ||
          (turns.next[i] == turns.next[due] && turns.earliest[i] < turns.earliest[due]))
        due = i;
    const Clocks turn = turns.next[due];
    if (turn == never)
      return never;
    if (turn <= lastTurn) {
      turns.next[due] = lastTurn + 1;
      continue;
    }
    if (turn > now && turn >= horizon)
      return turn;
    const IssueArbiter arbiter = arbitrate(simds[due], turn);
    if (arbiter.isIdle()) {
      planTurn(due, turn + 1);
      continue;
    }
    if (turn > now && (arbiter.any(isOrdered) || (turn > now + slack && arbiter.any(reachesOut))))
      return turn;
    takeTurn(due, arbiter, turn);
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
  for (const Simd::Seat &seat : simd.seats) {
    if (seat.ready > now)
      continue;
    if (freeFor(simd, *seat.wave) <= now)
      arbiter.offer(*seat.wave);
    else if (seat.needs == Needs::Packed)
      packedWaits = std::min(packedWaits, seat.ready);
  }
  if (packedWaits != never)
    arbiter.refuse(Slot::Vector, [&](const TimedWave &wave) { return wave.fact->passes && wave.ready > packedWaits; });
  return arbiter;
}

void ComputeUnit::takeTurn(unsigned simd, const IssueArbiter &arbiter, Clocks now) {
  toPlan |= 1u << simd;
  arbiter.forEach([&](TimedWave &wave) {
    if (wave.slot == Slot::Fetch) {
      fetch(wave, now);
    } else {
      turns.earliest[simd] = now + chip.simdTurnClocks;
      lastTurn = now;
      issue(simds[simd], wave, now);
    }
  });
  passBarriers();
  planTurns();
}

void ComputeUnit::planTurns() {
  for (; toPlan; toPlan &= toPlan - 1) {
    const unsigned simd = unsigned(std::countr_zero(toPlan));
    planTurn(simd, turns.earliest[simd]);
  }
}

void ComputeUnit::planTurn(unsigned number, Clocks earliest) {
  const Simd &simd = simds[number];
  std::array<Clocks, needs> free;
  free[size_t(Needs::Nothing)] = 0;
  free[size_t(Needs::Vector)] = simd.vectorFree;
  free[size_t(Needs::Matrix)] = std::max(simd.vectorFree, simd.matrixFree);
  free[size_t(Needs::VectorMemory)] = addressFree;
  free[size_t(Needs::Lds)] = lds.issueFree(simd.ldsPort);
  Clocks next = never;
  const TimedWave *first = nullptr;
  for (const Simd::Seat &seat : simd.seats) {
    const Clocks issues =
        std::max(seat.ready, seat.needs == Needs::Packed ? simd.freeFor(chip, *seat.wave) : free[size_t(seat.needs)]);
    first = issues < next ? seat.wave : first;
    next = std::min(next, issues);
  }
  firstSeats = simd.seats.data();
  firstWave = first;
  turns.next[number] = std::max(next, earliest);
}

void ComputeUnit::keepSeat(const TimedWave &wave) {
  Simd::Seat &seat = simds[wave.simd].seats[wave.seat];
  seat.ready = wave.ready;
  seat.needs = needsOf(wave);
}

// Between issues

void ComputeUnit::advance(TimedWave &wave) {
  toPlan |= 1u << wave.simd;
  if (takeEntry(wave))
    settle(wave);
}

void ComputeUnit::settle(TimedWave &wave) {
  while (isFetched(wave) && isConsumed(wave))
    if (!takeEntry(wave))
      return; // it has ended
  keepSeat(wave);
}

bool ComputeUnit::takeEntry(TimedWave &wave) {
  wave.stop = false;
  if (wave.entry.following) {
    --wave.entry.following;
    ++wave.entry.instruction;
    wave.entry.detail = 0;
    ++wave.fact;
    return true;
  }
  while (wave.reader.empty()) {
    if (wave.trace->end() == TraceEnd::Stop) {
      wave.stop = true;
      wave.entry = {wave.trace->stopInstruction(), 0, 0, 0};
      wave.fact = &facts[wave.entry.instruction];
      return true;
    }
    if (wave.trace->end() == TraceEnd::Ended) {
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
  for (TimedWave &any : group.waves) // others may be filled too
    any.trace->readTo(any.reader);
  ports.fill(group, wave.number);
  for (TimedWave &any : group.waves)
    any.reader = any.trace->reader();
}

/// A taken branch leaves a wave without instructions: it fetches window by window from the target on. In straight code
/// that is as fast as the fastest instructions, so what comes some windows after the branch doesn't wait.
void ComputeUnit::awaitWindow(TimedWave &wave, uint64_t address) {
  if (wave.branchTarget == TimedWave::unknownTarget)
    wave.branchTarget = address / chip.fetchWindowBytes;
  const uint64_t fetched = (address + wave.fact->size - 1) / chip.fetchWindowBytes - wave.branchTarget + 1;
  if (fetched > 4)
    wave.branchTarget = TimedWave::noTarget;
  else
    wait(wave, wave.refetch + fetched * chip.fetchWindowClocks, Stall::NoInstruction);
}

bool ComputeUnit::isFetched(TimedWave &wave) {
  const uint64_t address = facts.codeAddress(wave.entry.instruction), line = instructions.lineOf(address);
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
  for (size_t i = 0; i < opened.size(); ++i) // grows where they come to the next one
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
