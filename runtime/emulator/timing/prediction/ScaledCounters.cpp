#include "runtime/emulator/timing/prediction/ScaledCounters.h"

#include <cmath>

namespace nstf::emulator::timing {
namespace {

void scaleOne(uint64_t &count, double factor) { count = uint64_t(std::llround(double(count) * factor)); }
void scaleOne(double &count, double factor) { count *= factor; }

template <typename... Counts> void scaleAll(double factor, Counts &...counts) { (scaleOne(counts, factor), ...); }

} // namespace

// Detects fields that were added to a struct but not here: each struct must be as large as the listed fields.

void scale(Counters &counters, double factor) {
  static_assert(sizeof(Counters) == 22 * 8);
  auto &c = counters;
  scaleAll(factor, c.clocks, c.workgroups, c.waves, c.waveClocks, c.busyClocks, c.launchClocks, c.vectorInstructions,
           c.matrixInstructions, c.scalarInstructions, c.scalarMemoryInstructions, c.ldsInstructions,
           c.vectorReadInstructions, c.vectorWriteInstructions, c.branchInstructions, c.messageInstructions,
           c.internalInstructions, c.vectorBusy, c.matrixBusy, c.ldsBusy, c.ldsConflicts, c.addressBusy,
           c.instructionMisses);
}

void scale(MemoryCounters &counters, double reads, double writes) {
  static_assert(sizeof(MemoryCounters) == 28 * 8);
  auto &c = counters;
  const double readBytes = double(c.l2ReadBytes), writeBytes = double(c.l2WriteBytes), bytes = readBytes + writeBytes;
  const double both = bytes > 0 ? (reads * readBytes + writes * writeBytes) / bytes : reads;
  scaleAll(reads, c.l1ReadBytes, c.scalarRequests, c.scalarHits, c.l2Reads, c.l2ReadBytes, c.fabricReads, c.mallHits,
           c.mallMisses, c.mallReadBytes, c.hbmReadBytes);
  scaleAll(writes, c.l1WriteBytes, c.l2Writes, c.l2Atomics, c.l2WriteBytes, c.fabricWrites, c.fabricAtomics,
           c.mallWriteBytes, c.hbmWriteBytes);
  scaleAll(both, c.l1Requests, c.l1Hits, c.l1Merged, c.l2Hits, c.l2Misses, c.l2BusyClocks, c.mallBusyClocks,
           c.hbmBusyClocks, c.translations, c.translationMisses);
}

void scale(MemoryCounters &counters, double factor) { scale(counters, factor, factor); }

void scale(InstructionStalls &stalls, double factor) {
  scaleOne(stalls.issued, factor);
  for (Clocks &clocks : stalls.clocks)
    scaleOne(clocks, factor);
}

void scale(StallTable &stalls, double factor) {
  for (InstructionStalls &one : stalls)
    scale(one, factor);
}

} // namespace nstf::emulator::timing
