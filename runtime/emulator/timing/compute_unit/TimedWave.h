// A resident wave and its workgroup in the model.
#pragma once

#include "runtime/emulator/timing/compute_unit/WaitCounters.h"
#include "runtime/emulator/timing/record/Recorder.h"
#include "runtime/emulator/timing/record/TimingFacts.h"

#include <memory>
#include <vector>

namespace nstf::emulator::timing {

struct TimedGroup;

/// The issue slot for which a wave's next instruction competes: in a turn, a SIMD issues one instruction for each slot.
enum class Slot : uint8_t {
  Vector, ///< VALU and matrix core
  Scalar, ///< SALU and scalar memory
  VectorMemory,
  Lds,
  Branch, ///< branches and messages
  Fetch,  ///< no issue: the instruction's line of code must be fetched
};
constexpr size_t slots = 6;

struct alignas(64) TimedWave {
  static constexpr uint64_t noTarget = ~uint64_t(0), unknownTarget = noTarget - 1;

  // The state needed to reach the next instruction, in one cache line of the host
  Clocks ready = 0;  ///< when its next instruction may issue; never: it waits at a barrier or has ended
  uint32_t rank = 0; ///< the lowest goes first: by priority, then by age
  Unit unit = Unit::Internal;
  Slot slot = Slot::Vector;
  uint8_t seat = 0; ///< index on the SIMD
  uint8_t simd : 2 = 0;
  bool stop : 1 = false; ///< the next instruction executes when it issues
  bool atBarrier : 1 = false;
  TraceEntry entry = {};            ///< the next instruction
  const TimingFact *fact = nullptr; ///< of that instruction
  TraceReader reader;
  uint64_t codeLine = ~uint64_t(0);
  uint64_t branchTarget = noTarget; ///< first window of the code after a taken branch, while it is fetched
  Clocks refetch = 0;               ///< when that fetch was requested

  TimedGroup *group = nullptr;
  WaveTrace *trace = nullptr;
  uint32_t age = 0;
  uint32_t number = 0;           ///< in the workgroup
  Clocks begun = 0, arrived = 0; ///< begun: in the compute unit; arrived: at the barrier
  ScalarCounter scalar;
  VectorCounter vector;
  Clocks measuredFrom = 0, measured = 0; ///< begin of the rounds being measured; clocks of those measured before
};

/// The owner is the caller of ComputeUnit::place.
struct TimedGroup {
  std::unique_ptr<RecordedGroup> recorded;
  std::vector<TimedWave> waves;
  uint32_t computeUnit = 0;
  uint32_t running = 0;     ///< waves that have not ended
  uint32_t atBarrier = 0;   ///< of these, waves at the barrier
  Clocks lastArrival = 0;   ///< last arrival at the barrier
  Clocks begun = 0;         ///< start of its first wave
  Clocks skippedBefore = 0; ///< SkippedTime::clocks at its beginning
  Clocks drained = 0;       ///< when its waves have ended and their stores are acknowledged
};

} // namespace nstf::emulator::timing
