// The effects of issuing an instruction.
#include "runtime/emulator/timing/compute_unit/ComputeUnit.h"

namespace nstf::emulator::timing {

void ComputeUnit::countIssue(const TimedWave &wave) { ++stalls[wave.entry.instruction].issued; }

void ComputeUnit::countStall(const Simd &simd, const TimedWave &wave, Clocks now) {
  InstructionStalls &at = stalls[wave.entry.instruction];
  const Clocks unitFree = std::clamp(freeFor(simd, wave), wave.ready, now);
  const bool byItself = wave.slot == Slot::Vector && (simd.vectorUser == &wave || simd.matrixUser == &wave);
  const Clocks forPlaces = wave.slot == Slot::VectorMemory ? placeWaits.within(wave.ready, unitFree) : 0;
  at.clocks[size_t(byItself ? Stall::AluDependency : Stall::ArbiterWinStall)] += unitFree - wave.ready - forPlaces;
  at.clocks[size_t(Stall::MissPlaces)] += forPlaces;
  at.clocks[size_t(Stall::ArbiterNotWin)] += now - unitFree;
}

void ComputeUnit::issue(Simd &simd, TimedWave &wave, Clocks now) {
  const TimingFact &fact = *wave.fact;
  countIssue(wave);
  countStall(simd, wave, now);
  if (wave.stop)
    execute(wave, now);
  wave.ready = now + chip.simdTurnClocks;
  switch (fact.unit) {
  case Unit::Matrix:
  case Unit::MatrixVector:
    ++counters.matrixInstructions;
    counters.matrixBusy += simd.begin(chip, wave, now);
    break;
  case Unit::Vector:
  case Unit::Double:
  case Unit::IntegerMultiply:
  case Unit::Transcendental:
  case Unit::PackedFloat:
    ++counters.vectorInstructions;
    counters.vectorBusy += simd.begin(chip, wave, now);
    break;
  case Unit::Scalar:
    ++counters.scalarInstructions;
    wait(wave, now + chip.scalarClocks, Stall::AluDependency);
    break;
  case Unit::ScalarMemory:
    ++counters.scalarMemoryInstructions;
    issueScalarMemory(wave, now);
    break;
  case Unit::VectorMemory:
    ++sharedUses;
    issueVectorMemory(simd, wave, now);
    break;
  case Unit::Lds: {
    ++sharedUses;
    ++counters.ldsInstructions;
    const LdsDetail detail = LdsDetail::of(wave.entry.detail);
    counters.ldsBusy += lds.portClocks(fact) + detail.conflicts;
    counters.ldsConflicts += detail.conflicts;
    wave.scalar.addInOrder(now, lds.access(simd.ldsPort, now, fact, detail));
    break;
  }
  case Unit::Branch:
    ++counters.branchInstructions;
    if (wave.entry.blocks)
      skipRounds(wave, now);
    wait(wave, now + chip.branchClocks, Stall::NoInstruction);
    if (wave.entry.detail) {
      wave.branchTarget = TimedWave::unknownTarget;
      wave.refetch = wave.ready;
    }
    break;
  case Unit::Message:
    ++counters.messageInstructions;
    break;
  case Unit::Internal: // takes no slot: isConsumed()
    break;
  }
  advance(wave);
}

void ComputeUnit::issueVectorMemory(const Simd &simd, TimedWave &wave, Clocks now) {
  const TimingFact &fact = *wave.fact;
  ++(fact.is(TimingFact::load) ? counters.vectorReadInstructions : counters.vectorWriteInstructions);
  AccessTimes times = {now, now + chip.vmemIssueClocks, 0};
  if (fact.is(TimingFact::accesses)) {
    const MemoryRequest &request = wave.reader.request(wave.entry);
    times = ports.vectorAccess(number, now, fact, request, wave.reader.lines(wave.entry));
    if (times.placeWait) // accounted as if the wait were at the end of the access's time
      placeWaits.add(times.issueFree - times.placeWait, times.issueFree);
    times.issueFree = std::max(times.issueFree, now + chip.vmemIssueClocks);
    if (fact.is(TimingFact::toLds)) // charged now, while in flight: the data occupies the LDS when it arrives
      times.issueFree = std::max(times.issueFree, now + Clocks(chip.ldsDmaClocks) * std::max(fact.bytes / 4, 1));
    if (request.ldsLanes) // flat: these lanes access the LDS and count for lgkmcnt
      wave.scalar.addInOrder(now, lds.access(simd.ldsPort, now, fact, LdsDetail::of(request.ldsDetail)));
  } else if (fact.is(TimingFact::invalidate | TimingFact::writeBack)) {
    times.done = ports.maintain(number, now, fact);
  }
  if (fact.is(TimingFact::countsVm))
    wave.vector.add(times.done);
  counters.addressBusy += times.issueFree - std::max(now, addressFree);
  addressFree = times.issueFree;
}

void ComputeUnit::issueScalarMemory(TimedWave &wave, Clocks now) {
  const TimingFact &fact = *wave.fact;
  Clocks done = now + chip.scalarLatency;
  if (fact.is(TimingFact::accesses))
    done = ports.scalarAccess(number, now, fact, wave.reader.lines(wave.entry));
  else if (fact.is(TimingFact::invalidate | TimingFact::writeBack))
    done = ports.maintain(number, now, fact);
  else
    wait(wave, now + chip.memtimeClocks, Stall::Internal);
  if (fact.is(TimingFact::countsLgkm))
    wave.scalar.add(now, done);
}

void ComputeUnit::skipRounds(TimedWave &wave, Clocks now) {
  const SkippedRounds &skipped = wave.reader.skipped(wave.entry);
  const Clocks measured = now - wave.measuredFrom;
  if (skipped.rounds)
    ports.skipped(wave.entry.instruction, skipped, measured, wave.measured);
  wave.measured = skipped.rounds ? measured : 0;
  wave.measuredFrom = now;
}

void ComputeUnit::fetch(TimedWave &wave, Clocks now) {
  const uint64_t line = instructions.getLine(facts.codeAddress(wave.entry.instruction));
  for (uint64_t i = 0; i <= chip.instructionPrefetchLines; ++i) {
    Clocks there = instructions.find(line + i); // a neighbour may have requested it meanwhile
    if (there == never) {
      ++counters.instructionMisses;
      there = ports.instructionMiss(number, now, instructions.getAddress(line + i));
      instructions.insert(line + i, there);
    }
    if (!i)
      wait(wave, there, Stall::NoInstruction);
  }
  wave.codeLine = line;
  settle(wave);
}

void ComputeUnit::execute(TimedWave &wave, Clocks now) {
  wave.trace->readTo(wave.reader);
  ports.executeStop(*wave.group, wave.number, now);
  wave.reader = wave.trace->reader();
  wave.entry = wave.reader.take();
}

} // namespace nstf::emulator::timing
