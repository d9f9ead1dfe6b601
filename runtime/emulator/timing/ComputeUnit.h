// A compute unit: SIMDs that take turns, the LDS, the address unit of vector memory.
//
// Event-driven: it goes from one turn in which a wave can issue to the next. All that a wave waits for is known as a
// clock beforehand (units, counters, sleep, the fetch), but for barriers, which open with their last wave. A compute
// unit runs ahead of the chip's time until it needs something outside itself (Ports).
#pragma once

#include "runtime/emulator/timing/Counters.h"
#include "runtime/emulator/timing/InstructionFetch.h"
#include "runtime/emulator/timing/IssueArbiter.h"
#include "runtime/emulator/timing/Lds.h"
#include "runtime/emulator/timing/PlaceWaits.h"
#include "runtime/emulator/timing/Ports.h"
#include "runtime/emulator/timing/Simd.h"
#include "runtime/emulator/timing/Stalls.h"

#include <array>

namespace nstf::emulator::timing {

class ComputeUnit {
public:
  /// `stalls` and `counters` are all compute units' together, `instructions` its neighbours' too.
  ComputeUnit(unsigned number, const ChipTiming &chip, const TimingFacts &facts, InstructionCache &instructions,
              Ports &ports, StallTable &stalls, Counters &counters);

  /// The group's waves start, the first at `now`, the others `launchClocks` apart. No sooner than `run` has got to.
  void place(TimedGroup &group, Clocks now, double launchClocks);
  /// Takes the turns at `now`, and those after it for which nothing outside is needed, up to `horizon`. Returns the
  /// time of the next turn.
  Clocks run(Clocks now);

  /// When a turn may come next.
  Clocks next() const;
  /// Has the host fetch what the next turns look at: their waves, and what these are about to do.
  void prefetchWaves() const;
  /// Once it has that, what this looks up.
  void prefetchAccess() const;
  /// Where wave `wave` of the next group will go.
  uint32_t simdFor(uint32_t wave) const;
  uint32_t slotFor(uint32_t wave) const;

  /// No group is placed before; Ports may lower it.
  Clocks horizon = never;

private:
  Clocks freeFor(const Simd &simd, const TimedWave &wave) const;
  /// When what a wave's next instruction waits for is free; of Needs::Packed, Simd::freeFor knows.
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

  /// To the wave's next instruction that takes a slot; those that take none happen on the way, each at its time.
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
  /// The wave stands before its instruction until then.
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

  // Of SIMDs that the chip doesn't have, a turn never comes.
  struct Turns {
    std::array<Clocks, maxSimds> next;     ///< the SIMD's next turn in which a wave may be able to issue
    std::array<Clocks, maxSimds> earliest; ///< its next turn comes no sooner
  };
  alignas(64) Turns turns;
  /// A wave that may issue in a turn.
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
  /// Who issues in a SIMD's turn, if it comes at `turn` and no other SIMD has used what they share since.
  struct Plan {
    IssueArbiter arbiter;
    Clocks turn = never;
    uint32_t sharedUses = 0;
  };
  std::array<Plan, maxSimds> plans;
  uint32_t sharedUses = 0;          ///< of LDS and address unit
  std::array<Simd, maxSimds> simds; ///< the first of them, as many as the chip has
  Lds lds;
  Clocks addressFree = 0;          ///< of vector memory
  PlaceWaits placeWaits;           ///< of it
  Clocks lastTurn = 0;             ///< one SIMD a clock
  unsigned toPlan = 0;             ///< SIMDs whose waves changed, a bit each
  std::vector<TimedWave *> opened; ///< waves whose barrier has
  uint32_t placed = 0;             ///< waves so far
  uint32_t resident = 0;
  Clocks busySince = 0;
};

} // namespace nstf::emulator::timing
