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
  // What each turn of the SIMD looks at, in one cache line
  Clocks ready = 0;  ///< its next instruction may try to issue; never: it waits at a barrier or has ended
  uint64_t rank = 0; ///< the lowest goes first: of high priority, then old
  Unit unit = Unit::Internal;
  Slot slot = Slot::Vector;
  bool stop = false; ///< the next instruction executes when it issues
  bool atBarrier = false;
  uint8_t simd = 0;
  uint8_t number = 0;               ///< in the workgroup
  TraceEntry entry = {};            ///< the next instruction
  const TimingFact *fact = nullptr; ///< of it
  uint64_t codeLine = ~uint64_t(0);
  WaveTrace *trace = nullptr;

  TimedGroup *group = nullptr;
  uint64_t age = 0;
  uint64_t issued = 0;           ///< instructions
  Clocks begun = 0, arrived = 0; ///< in the compute unit, at the barrier
  ScalarCounter scalar;
  VectorCounter vector;
};

/// Owned by who has it placed.
struct TimedGroup {
  std::unique_ptr<RecordedGroup> recorded;
  std::vector<TimedWave> waves;
  uint32_t computeUnit = 0;
  uint32_t running = 0;   ///< waves that have not ended
  uint32_t atBarrier = 0; ///< of these
  Clocks lastArrival = 0; ///< at the barrier
  Clocks begun = 0;       ///< its first wave's start
  uint64_t issued = 0;    ///< instructions of the waves that have ended
  Clocks drained = 0;     ///< its waves have ended and their stores are acknowledged
};

} // namespace nstf::emulator::timing
