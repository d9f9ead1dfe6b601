#include "runtime/emulator/timing/record/RecordingObserver.h"
#include "runtime/emulator/decode/AccessFacts.h"
#include "runtime/emulator/instructions/BufferFormat.h"
#include "runtime/emulator/timing/record/RoundSkipper.h"

#include <bit>
#include <utility>

namespace nstf::emulator::timing {
MemoryRequest RecordedAccesses::request(const Wave &wave, const MicroOp *op, const TimingFact &fact) {
  lines.clear();
  MemoryRequest request;
  if (fact.unit == Unit::ScalarMemory) {
    if (uint64_t address = scalarAddress(wave, op, fact.bytes))
      coalescer.scalar(address, fact.bytes, lines);
    request.lanes = 1;
  } else if (wave.exec()) {
    request = vectorRequest(wave, op, fact);
  }
  return request;
}

MemoryRequest RecordedAccesses::vectorRequest(const Wave &wave, const MicroOp *op, const TimingFact &fact) {
  LaneAddresses lanes;
  uint32_t bytes = fact.bytes;
  switch (accessFacts[op->opcode].addressing) {
  case Addressing::Global:
    globalAddresses(wave, op, lanes);
    break;
  case Addressing::Flat:
    flatAddresses(wave, op, lanes);
    break;
  case Addressing::Scratch:
    scratchAddresses(wave, op, lanes);
    break;
  case Addressing::TypedBuffer:
    bytes = BufferFormat::of(wave, op).bytes();
    [[fallthrough]];
  default:
    bufferAddresses(wave, op, bytes, lanes);
    break;
  }
  MemoryRequest request;
  request.lanes = uint8_t(std::popcount(lanes.memory));
  request.bytes = uint8_t(bytes);
  request.addressClocks = uint16_t(bytes ? coalescer.vector(op->instruction, lanes, bytes, lines) : 0);
  if (fact.is(TimingFact::toLds)) {
    request.ldsDetail = LdsDetail{2, 0}.packed(); // consecutive dwords
  } else if (lanes.lds) {
    uint32_t offsets[Wave::width];
    for (unsigned lane = 0; lane < Wave::width; ++lane)
      offsets[lane] = uint32_t(lanes.address[lane]);
    request.ldsLanes = uint8_t(std::popcount(lanes.lds));
    request.ldsDetail = ldsClocks.of(offsets, lanes.lds, fact).packed();
  }
  return request;
}

/// Whether the wave must stop before the instruction. On gfx90a, the first store after a full wait may be a release.
bool RecordingObserver::isStop(const TimingFact &fact) {
  bool stop = fact.is(TimingFact::stop);
  if (accesses.facts.releasesByPlainStores()) {
    if (fact.waitVm == 0)
      trace.waitedForAll = true;
    else if (fact.unit == Unit::VectorMemory && fact.is(TimingFact::store))
      stop |= trace.waitedForAll;
  }
  return stop && !std::exchange(atStop, false);
}

bool RecordingObserver::record(const MicroOp *op, const TimingFact &fact) {
  if (!fact.is(TimingFact::known))
    accesses.facts.reach(op->instruction);
  if (isStop(fact)) {
    inFrontOfStop = true;
    return false;
  }
  if (fact.unit == Unit::VectorMemory && fact.is(TimingFact::store))
    trace.waitedForAll = false;
  if (fact.is(TimingFact::accesses))
    trace.append(op->instruction, accesses.request(wave, op, fact), accesses.lines);
  else if (fact.unit == Unit::Lds)
    trace.append(op->instruction, accesses.lds(wave, op, fact).packed());
  else if (fact.is(TimingFact::branch))
    trace.append(op->instruction, uint32_t(isTaken(wave, op)));
  else
    trace.append(op->instruction);
  if (trace.blocks.size() >= maxBlocks)
    room = 1; // only this instruction
  return true;
}

} // namespace nstf::emulator::timing
