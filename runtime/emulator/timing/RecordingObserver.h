// What the run loop of a recorded wave tells: an entry for each instruction, what it accesses, where the wave stops.
#pragma once

#include "runtime/emulator/decode/Instructions.h"
#include "runtime/emulator/timing/Coalescer.h"
#include "runtime/emulator/timing/LdsClocks.h"
#include "runtime/emulator/timing/TimingFacts.h"

namespace nstf::emulator::timing {

/// The memory side of it, shared by all waves of a launch.
class RecordedAccesses {
public:
  RecordedAccesses(TimingFacts &facts, const RegionTable &regions, uint32_t lineBytes)
      : facts(facts), coalescer(regions, lineBytes) {}

  /// What instruction `op` of TimingFact::accesses is about to do. Appends its lines.
  MemoryRequest request(const Wave &wave, const MicroOp *op, const TimingFact &fact, std::vector<LineAccess> &lines);
  LdsDetail lds(const Wave &wave, const MicroOp *op, const TimingFact &fact) { return ldsClocks.of(wave, op, fact); }

  TimingFacts &facts;

private:
  MemoryRequest vectorRequest(const Wave &wave, const MicroOp *op, const TimingFact &fact,
                              std::vector<LineAccess> &lines);
  Coalescer coalescer;
  LdsClocks ldsClocks;
};

/// Of one wave in one go.
class RecordingObserver {
public:
  /// `room`: entries that may be added; none beside `maxLines` lines. `atStop`: the first instruction is executed even
  /// if it is a stop.
  RecordingObserver(const Wave &wave, WaveTrace &trace, RecordedAccesses &accesses, size_t room, size_t maxLines,
                    bool atStop)
      : wave(wave), trace(trace), accesses(accesses), room(room), maxLines(maxLines), atStop(atStop) {}

  bool operator()(const MicroOp *op) {
    if (op->opcode >= unsigned(Opcode::Trap)) // a part of the instruction: another is the instruction itself
      return true;
    if (!room)
      return false;
    const TimingFact &fact = accesses.facts[op->instruction];
    uint32_t detail = 0;
    if (fact.is(TimingFact::recorded) && !record(op, fact, detail))
      return false;
    trace.entries.push_back({op->instruction, detail});
    --room;
    return true;
  }
  /// The wave stands in front of a stop.
  bool stopped() const { return inFrontOfStop; }

private:
  /// False: a stop.
  bool record(const MicroOp *op, const TimingFact &fact, uint32_t &detail);
  bool isStop(const TimingFact &fact);

  const Wave &wave;
  WaveTrace &trace;
  RecordedAccesses &accesses;
  size_t room;
  const size_t maxLines;
  bool atStop;
  bool inFrontOfStop = false;
};

} // namespace nstf::emulator::timing
