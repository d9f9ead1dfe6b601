// Observers of the run loop that record a wave. They add an entry to the wave's trace for each instruction, with the
// instruction's accesses. They stop the wave before an instruction that is a stop, and when the trace has no room.
#pragma once

#include "runtime/emulator/decode/Instructions.h"
#include "runtime/emulator/timing/record/Coalescer.h"
#include "runtime/emulator/timing/record/LdsClocks.h"
#include "runtime/emulator/timing/record/Outline.h"
#include "runtime/emulator/timing/record/RoundSkipper.h"
#include "runtime/emulator/timing/record/TimingFacts.h"

namespace nstf::emulator::timing {

/// Records memory accesses; shared by all waves of a launch.
class RecordedAccesses {
public:
  RecordedAccesses(TimingFacts &facts, const RegionTable &regions, const AddressUnit &unit, uint32_t ldsBanks)
      : facts(facts), coalescer(regions, unit), ldsClocks(ldsBanks) {}

  /// The memory accesses that `op` is about to make. Precondition: `fact` has the bit TimingFact::accesses.
  MemoryRequest request(const Wave &wave, const MicroOp *op, const TimingFact &fact);
  LdsDetail lds(const Wave &wave, const MicroOp *op, const TimingFact &fact) { return ldsClocks.of(wave, op, fact); }

  TimingFacts &facts;
  std::vector<LineAccess> lines; ///< of the latest request

private:
  MemoryRequest vectorRequest(const Wave &wave, const MicroOp *op, const TimingFact &fact);
  Coalescer coalescer;
  LdsClocks ldsClocks;
};

/// Records one run of one wave.
class RecordingObserver {
public:
  /// `room`: the maximum number of entries to add; none are added beyond `maxBlocks` blocks. `atStop`: the first
  /// instruction is executed even if it is a stop.
  RecordingObserver(const Wave &wave, WaveTrace &trace, RecordedAccesses &accesses, size_t room, size_t maxBlocks,
                    bool atStop)
      : wave(wave), trace(trace), accesses(accesses), room(room), maxBlocks(maxBlocks), atStop(atStop) {}

  bool operator()(const MicroOp *op) {
    if (op->opcode >= unsigned(Opcode::Trap)) // a micro-op that is only a part of an instruction
      return true;
    if (!room)
      return false;
    const TimingFact &fact = accesses.facts[op->instruction];
    if (fact.isPlain())
      trace.append(op->instruction);
    else if (!record(op, fact))
      return false;
    --room;
    return true;
  }
  bool hasRoom() const { return room; }
  /// Whether the wave is before a stop.
  bool stopped() const { return inFrontOfStop; }

private:
  /// Returns false at a stop.
  bool record(const MicroOp *op, const TimingFact &fact);
  bool isStop(const TimingFact &fact);

  const Wave &wave;
  WaveTrace &trace;
  RecordedAccesses &accesses;
  size_t room;
  const size_t maxBlocks;
  bool atStop;
  bool inFrontOfStop = false;
};

/// The same for waves that execute the kernel's outline; skips rounds of long loops if there is a skipper.
class OutlineObserver {
public:
  OutlineObserver(RecordingObserver &recording, const TimingFacts &facts, const Outline &outline, const Wave &wave,
                  WaveTrace &trace, RoundSkipper *skipper)
      : recording(recording), facts(facts), outline(outline), wave(wave), trace(trace), skipper(skipper) {}

  bool executes(const MicroOp *op) const { return outline.executes(op); }
  bool operator()(const MicroOp *op) {
    if (op->opcode >= unsigned(Opcode::Trap))
      return true;
    if (!skipper)
      return recording(op);
    if (skipper->isSkipping() && skipper->skip(wave, op, trace)) {
      ++skipped;
      return true;
    }
    if (recording.hasRoom() && facts[op->instruction].is(TimingFact::branch) && skipper->atBranch(wave, op, trace))
      return true;
    return recording(op);
  }
  uint64_t skippedInstructions() const { return skipped; }

private:
  RecordingObserver &recording;
  const TimingFacts &facts;
  const Outline &outline;
  const Wave &wave;
  WaveTrace &trace;
  RoundSkipper *skipper;
  uint64_t skipped = 0;
};

} // namespace nstf::emulator::timing
