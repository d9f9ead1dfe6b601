// A compute unit: SIMDs that issue in turn, the LDS, and the address unit of vector memory.
//
// The model is event-driven: it goes from one turn in which a wave can issue to the next. The clock at which each wait
// of a wave ends (units, counters, sleep, fetch) is known in advance, except for barriers, which open with their last
// wave. A compute unit runs ahead of the chip's time until it needs a resource outside itself (Ports).
#pragma once

#include "runtime/emulator/timing/compute_unit/IssueArbiter.h"
#include "runtime/emulator/timing/compute_unit/Lds.h"
#include "runtime/emulator/timing/compute_unit/PlaceWaits.h"
#include "runtime/emulator/timing/compute_unit/Ports.h"
#include "runtime/emulator/timing/compute_unit/Simd.h"
#include "runtime/emulator/timing/memory/InstructionFetch.h"
#include "runtime/emulator/timing/prediction/Counters.h"
#include "runtime/emulator/timing/prediction/Stalls.h"

#include <array>

namespace nstf::emulator::timing {

class ComputeUnit {
public:
  /// All compute units share `stalls` and `counters`; neighbouring ones share `instructions`.
  ComputeUnit(unsigned number, const ChipTiming &chip, const TimingFacts &facts, InstructionCache &instructions,
              Ports &ports, StallTable &stalls, Counters &counters);

  /// Starts the group's waves, the first at `now`, the others `launchClocks` apart. Precondition: `now` is not before
  /// the time that `run` has reached.
  void place(TimedGroup &group, Clocks now, double launchClocks);
  /// Simulates the turns at `now`, and later ones that need nothing outside the compute unit, up to `horizon`. Returns
  /// the time of the next turn.
  Clocks run(Clocks now);

  /// The earliest time of the next turn.
  Clocks next() const;
  /// Prefetches on the host the waves of the next turns and their next instructions.
  void prefetchWaves() const;
  /// Prefetches on the host the data that those instructions look up. Call after prefetchWaves has taken effect.
  void prefetchAccess() const;
  /// The SIMD and the slot that wave `wave` of the next group will get.
  uint32_t simdFor(uint32_t wave) const;
  uint32_t slotFor(uint32_t wave) const;

  /// No group is placed before this time; Ports may lower it.
  Clocks horizon = never;

private:
  Clocks freeFor(const Simd &simd, const TimedWave &wave) const;
  /// By need: when the resource that a wave's next instruction needs is free. Simd::freeFor computes that of
  /// Needs::Packed.
  std::array<Clocks, needs> freeTimes(const Simd &simd) const;
  void arbitrate(unsigned simd, Clocks now);
  void takeTurn(unsigned simd, Clocks now);
  unsigned nextSimd() const;
  void planTurns();
  void planTurn(unsigned simd, Clocks earliest);
  void countIssue(const TimedWave &wave);
  void countStall(const Simd &simd, const TimedWave &wave, Clocks now);

  void issue(Simd &simd, TimedWave &wave, Clocks now);
  void issueVectorMemory(const Simd &simd, TimedWave &wave, Clocks now);
  void skipRounds(TimedWave &wave, Clocks now);
  void issueScalarMemory(TimedWave &wave, Clocks now);
  void fetch(TimedWave &wave, Clocks now);
  void execute(TimedWave &wave, Clocks now);

  /// Advances to the wave's next instruction that takes an issue slot. Instructions that take none are executed on the
  /// way, each at its time.
  void advance(TimedWave &wave);
  void settle(TimedWave &wave);
  bool takeEntry(TimedWave &wave);
  bool takeNew(TimedWave &wave);
  void fill(TimedWave &wave);
  bool isFetched(TimedWave &wave);
  bool fetched(TimedWave &wave, uint64_t address, uint64_t line);
  void awaitWindow(TimedWave &wave, uint64_t address);
  bool isConsumed(TimedWave &wave);
  bool passes(TimedWave &wave);
  void keepSeat(const TimedWave &wave);
  void arrive(TimedWave &wave);
  void openIfAllArrived(TimedGroup &group);
  void passBarriers();
  void end(TimedWave &wave);
  /// Delays the wave before its instruction until `until`.
  void wait(TimedWave &wave, Clocks until, Stall reason) {
    if (until <= wave.ready)
      return;
    stalls[wave.entry.instruction].clocks[size_t(reason)] += until - wave.ready;
    wave.ready = until;
  }

  const unsigned number;
  const ChipTiming &chip;
  const TimingFacts &facts;
  InstructionCache &instructions;
  Ports &ports;
  StallTable &stalls;
  Counters &counters;

  // SIMDs that the chip lacks never have a turn.
  struct Turns {
    std::array<Clocks, maxSimds> next;     ///< the SIMD's next turn in which a wave may be able to issue
    std::array<Clocks, maxSimds> earliest; ///< lower bound of the SIMD's next turn
  };
  alignas(64) Turns turns;
  /// A wave that may issue in the next turn.
  struct First {
    const TimedWave *wave = nullptr;
    const TraceBlock *trace = nullptr; ///< Simd::Seat::trace
    void prefetch() const {
      __builtin_prefetch(wave, 1);
      __builtin_prefetch(reinterpret_cast<const char *>(wave) + 64, 1);
      TraceReader::prefetch(trace);
    }
  };
  std::array<First, maxSimds> firsts;
  /// The waves that issue in a SIMD's turn, valid if the turn is at `turn` and no other SIMD has used shared units
  /// since.
  struct Plan {
    IssueArbiter arbiter;
    Clocks turn = never;
    uint32_t sharedUses = 0;
  };
  std::array<Plan, maxSimds> plans;
  uint32_t sharedUses = 0;          ///< uses of LDS and address unit so far
  std::array<Simd, maxSimds> simds; ///< only as many as the chip has are used
  Lds lds;
  Clocks addressFree = 0;          ///< when the address unit of vector memory is free
  PlaceWaits placeWaits;           ///< of the address unit
  Clocks lastTurn = 0;             ///< only one SIMD has a turn in each clock
  unsigned toPlan = 0;             ///< SIMDs whose waves changed, one bit each
  std::vector<TimedWave *> opened; ///< waves whose barrier has opened
  uint32_t placed = 0;             ///< waves placed so far
  uint32_t resident = 0;
  Clocks busySince = 0;
};

} // namespace nstf::emulator::timing
