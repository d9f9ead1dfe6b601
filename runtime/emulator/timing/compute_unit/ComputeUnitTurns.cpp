// The order of SIMDs' turns.
#include "runtime/emulator/timing/compute_unit/ComputeUnit.h"

namespace nstf::emulator::timing {

/// Accesses reach the memory system in the order of time, except for this number of clocks: switching between compute
/// units costs the host more than many an instruction.
constexpr Clocks slack = 16;

Clocks ComputeUnit::next() const { return std::ranges::min(turns.next); }

/// The SIMD with the next turn; of two at the same time, the one that could have had it earlier.
inline unsigned ComputeUnit::nextSimd() const {
  unsigned due = 0;
  for (unsigned i = 1; i < maxSimds; ++i)
    if (turns.next[i] < turns.next[due] ||
        (turns.next[i] == turns.next[due] && turns.earliest[i] < turns.earliest[due]))
      due = i;
  return due;
}

/// Covers all turns that may be taken before another compute unit's.
void ComputeUnit::prefetchWaves() const {
  const Clocks first = next();
  for (unsigned simd = 0; simd < chip.simdsPerComputeUnit; ++simd) {
    if (turns.next[simd] > first + slack)
      continue;
    const auto *seats = reinterpret_cast<const char *>(simds[simd].seats.data());
    for (size_t i = 0; i < simds[simd].seats.size() * sizeof(Simd::Seat); i += 64)
      __builtin_prefetch(seats + i, 1);
    firsts[simd].prefetch();
  }
}

void ComputeUnit::prefetchAccess() const {
  const TimedWave *wave = firsts[nextSimd()].wave;
  if (!wave || wave->slot != Slot::VectorMemory)
    return;
  wave->vector.prefetch();
  if (!wave->stop && wave->fact->is(TimingFact::accesses))
    ports.prefetch(number, wave->reader.lines(wave->entry));
}

Clocks ComputeUnit::run(Clocks now) {
  for (;;) {
    const unsigned due = nextSimd();
    const Clocks turn = turns.next[due];
    if (turn == never)
      return never;
    if (turn <= lastTurn) {
      turns.next[due] = lastTurn + 1;
      continue;
    }
    if (turn > now && turn >= horizon)
      return turn;
    const Plan &plan = plans[due];
    if (plan.turn != turn || plan.sharedUses != sharedUses)
      arbitrate(due, turn);
    const IssueArbiter &arbiter = plan.arbiter;
    if (arbiter.isIdle()) {
      planTurn(due, turn + 1);
      continue;
    }
    if (turn > now) {
      const bool soon = turn <= now + slack;
      if (arbiter.any([&](const Simd::Seat &seat) { return seat.isOrdered || (!soon && seat.reachesOut); }))
        return turn;
    }
    takeTurn(due, turn);
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

std::array<Clocks, needs> ComputeUnit::freeTimes(const Simd &simd) const {
  std::array<Clocks, needs> free = {};
  free[size_t(Needs::Vector)] = simd.vectorFree;
  free[size_t(Needs::Matrix)] = std::max(simd.vectorFree, simd.matrixFree);
  free[size_t(Needs::VectorMemory)] = addressFree;
  free[size_t(Needs::Lds)] = lds.issueFree(simd.ldsPort);
  return free;
}

void ComputeUnit::arbitrate(unsigned number, Clocks now) {
  const Simd &simd = simds[number];
  Plan &plan = plans[number];
  plan.turn = now;
  plan.sharedUses = sharedUses;
  IssueArbiter &arbiter = plan.arbiter;
  arbiter.begin();
  const std::array<Clocks, needs> free = freeTimes(simd);
  Clocks packedWaits = never; // earliest wait of a packed f32 instruction: matrix instructions that become ready later
                              // do not overtake it
  for (const Simd::Seat &seat : simd.seats) {
    if (seat.ready > now)
      continue;
    if ((seat.needs == Needs::Packed ? simd.freeFor(chip, *seat.wave) : free[size_t(seat.needs)]) <= now)
      arbiter.offer(seat);
    else if (seat.needs == Needs::Packed)
      packedWaits = std::min(packedWaits, seat.ready);
  }
  if (packedWaits != never)
    arbiter.refuse(Slot::Vector, [&](const TimedWave &wave) { return wave.fact->passes && wave.ready > packedWaits; });
}

void ComputeUnit::takeTurn(unsigned simd, Clocks now) {
  toPlan |= 1u << simd;
  std::array<TimedWave *, slots> waves; // a copy, as their seats may change
  const size_t count = plans[simd].arbiter.winners(waves);
  for (size_t i = 0; i < count; ++i) {
    TimedWave &wave = *waves[i];
    if (wave.slot == Slot::Fetch) {
      fetch(wave, now);
    } else {
      turns.earliest[simd] = now + chip.simdTurnClocks;
      lastTurn = now;
      issue(simds[simd], wave, now);
    }
  }
  passBarriers();
  planTurns();
}

void ComputeUnit::planTurns() {
  for (; toPlan; toPlan &= toPlan - 1) {
    const unsigned simd = unsigned(std::countr_zero(toPlan));
    planTurn(simd, turns.earliest[simd]);
  }
}

/// Determines the time of a SIMD's next turn, and the waves that issue in it.
void ComputeUnit::planTurn(unsigned number, Clocks earliest) {
  const Simd &simd = simds[number];
  const std::array<Clocks, needs> free = freeTimes(simd);
  Plan &plan = plans[number];
  plan.arbiter.begin();
  plan.sharedUses = sharedUses;
  Clocks next = never;
  bool arePacked = false;
  First first;
  for (const Simd::Seat &seat : simd.seats) {
    if (seat.ready > next) // true for most
      continue;
    Clocks unitFree = free[size_t(seat.needs)];
    if (seat.needs == Needs::Packed) [[unlikely]] {
      arePacked = true;
      unitFree = simd.freeFor(chip, *seat.wave);
    }
    const Clocks issues = std::max({seat.ready, unitFree, earliest});
    if (issues > next || issues == never)
      continue;
    if (issues < next) {
      next = issues;
      plan.arbiter.begin();
      first = {seat.wave, seat.trace};
    }
    plan.arbiter.offer(seat);
  }
  plan.turn = arePacked ? never : next; // packed f32 instructions may hold others back
  turns.next[number] = next;
  firsts[number] = first;
  if (next <= lastTurn + slack) // it comes before another compute unit's turn
    first.prefetch();
}

} // namespace nstf::emulator::timing
