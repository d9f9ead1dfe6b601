// Whose turn it is.
#include "runtime/emulator/timing/ComputeUnit.h"

namespace nstf::emulator::timing {

/// Accesses come to the memory system in the order of time but for so many clocks: going from one compute unit to the
/// next costs the host more than many an instruction.
constexpr Clocks slack = 16;

Clocks ComputeUnit::next() const { return std::ranges::min(turns.next); }

/// Whose turn comes next; of two at once, the one that could have gone sooner.
inline unsigned ComputeUnit::nextSimd() const {
  unsigned due = 0;
  for (unsigned i = 1; i < simdCount; ++i)
    if (turns.next[i] < turns.next[due] ||
        (turns.next[i] == turns.next[due] && turns.earliest[i] < turns.earliest[due]))
      due = i;
  return due;
}

void ComputeUnit::prefetchWaves() const {
  const unsigned due = nextSimd();
  const auto *seats = reinterpret_cast<const char *>(simds[due].seats.data());
  for (size_t i = 0; i < simds[due].seats.size() * sizeof(Simd::Seat); i += 64)
    __builtin_prefetch(seats + i, 1);
  if (const TimedWave *wave = firstWaves[due]) {
    __builtin_prefetch(wave, 1);
    __builtin_prefetch(reinterpret_cast<const char *>(wave) + 64, 1);
  }
}

void ComputeUnit::prefetchTrace() const {
  if (const TimedWave *wave = firstWaves[nextSimd()]) {
    wave->reader.prefetch(wave->entry);
    wave->vector.prefetch();
  }
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
    if (turn != pending.turn || due != pending.simd)
      arbitrate(simds[due], turn);
    pending.turn = never;
    if (arbiter.isIdle()) {
      planTurn(due, turn + 1);
      continue;
    }
    if (turn > now) {
      const bool soon = turn <= now + slack;
      if (arbiter.any([&](const Simd::Seat &seat) { return seat.isOrdered || (!soon && seat.reachesOut); })) {
        pending = {turn, due};
        return turn;
      }
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

void ComputeUnit::arbitrate(const Simd &simd, Clocks now) {
  arbiter.begin();
  const std::array<Clocks, needs> free = freeTimes(simd);
  Clocks packedWaits = never; // since when: matrix instructions that come later don't overtake it
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
  std::array<TimedWave *, slots> waves; // their seats may change
  const size_t count = arbiter.winners(waves);
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

void ComputeUnit::planTurn(unsigned number, Clocks earliest) {
  const Simd &simd = simds[number];
  const std::array<Clocks, needs> free = freeTimes(simd);
  Clocks next = never;
  const TimedWave *first = nullptr;
  for (const Simd::Seat &seat : simd.seats) {
    const Clocks issues =
        std::max(seat.ready, seat.needs == Needs::Packed ? simd.freeFor(chip, *seat.wave) : free[size_t(seat.needs)]);
    first = issues < next ? seat.wave : first;
    next = std::min(next, issues);
    if (next <= earliest) // none comes sooner
      break;
  }
  firstWaves[number] = first;
  turns.next[number] = std::max(next, earliest);
}

} // namespace nstf::emulator::timing
