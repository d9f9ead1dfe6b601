// A resident wave and its workgroup, as the model sees them.
#pragma once

#include "runtime/emulator/timing/Recorder.h"
#include "runtime/emulator/timing/TimingFacts.h"
#include "runtime/emulator/timing/WaitCounters.h"

#include <memory>
#include <vector>

namespace nstf::emulator::timing {

struct TimedGroup;

/// What a wave's next instruction competes for: a SIMD issues one of each in a turn.
enum class Slot : uint8_t {
  Vector, ///< VALU and matrix core
  Scalar, ///< SALU and scalar memory
  VectorMemory,
  Lds,
  Branch, ///< and messages
  Fetch,  ///< no issue: the instruction isn't there, its line of code has to be asked for
};
constexpr size_t slots = 6;

struct alignas(64) TimedWave {
  static constexpr uint64_t noTarget = ~uint64_t(0), unknownTarget = noTarget - 1;

  // What it takes to get to the next instruction, in one of the host's cache lines
  Clocks ready = 0;  ///< its next instruction may try to issue; never: it waits at a barrier or has ended
  uint32_t rank = 0; ///< the lowest goes first: of high priority, then old
  Unit unit = Unit::Internal;
  Slot slot = Slot::Vector;
  uint8_t seat = 0; ///< on the SIMD
  uint8_t simd : 2 = 0;
  bool stop : 1 = false; ///< the next instruction executes when it issues
  bool atBarrier : 1 = false;
  TraceEntry entry = {};            ///< the next instruction
  const TimingFact *fact = nullptr; ///< of it
  TraceReader reader;
  uint64_t codeLine = ~uint64_t(0);
  uint64_t branchTarget = noTarget; ///< while what follows a taken branch is being fetched: its first window
  Clocks refetch = 0;               ///< when that was asked for

  TimedGroup *group = nullptr;
  WaveTrace *trace = nullptr;
  uint32_t age = 0;
  uint32_t number = 0;           ///< in the workgroup
  Clocks begun = 0, arrived = 0; ///< in the compute unit, at the barrier
  ScalarCounter scalar;
  VectorCounter vector;
  Clocks measuredFrom = 0, measured = 0; ///< rounds of a loop that are measured; those measured before
};

/// Owned by who has it placed.
struct TimedGroup {
  std::unique_ptr<RecordedGroup> recorded;
  std::vector<TimedWave> waves;
  uint32_t computeUnit = 0;
  uint32_t running = 0;     ///< waves that have not ended
  uint32_t atBarrier = 0;   ///< of these
  Clocks lastArrival = 0;   ///< at the barrier
  Clocks begun = 0;         ///< its first wave's start
  Clocks skippedBefore = 0; ///< its beginning: SkippedTime::clocks
  Clocks drained = 0;       ///< its waves have ended and their stores are acknowledged
};

} // namespace nstf::emulator::timing
