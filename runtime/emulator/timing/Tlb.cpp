#include "runtime/emulator/timing/Tlb.h"

#include "runtime/emulator/timing/ChipTiming.h"

#include <bit>

namespace nstf::emulator::timing {

Tlb::Tlb(const ChipTiming &chip, MemoryCounters &counters)
    : chip(chip), counters(counters), last(chip.computeUnits),
      pages(chip.computeUnits,
            uint32_t(std::clamp<uint64_t>(chip.tlbReachBytes / chip.tlbPageBytes, 1, TagArray::maxWays))),
      pageShift(uint32_t(std::countr_zero(chip.tlbPageBytes))) {}

void Tlb::setClock(double clocksPerNs) { missCost = chip.tlbMissNs * clocksPerNs; }

/// When the page's translation is there.
double Tlb::lookUp(uint32_t computeUnit, double now, uint64_t page) {
  TagArray::Set set = pages[computeUnit];
  uint32_t way = set.find(page);
  if (way != TagArray::none) {
    set.use(way);
    return set.whenReady(way, now);
  }
  ++counters.translationMisses;
  way = set.victim();
  set.fill(way, page);
  set.setReady(way, now + missCost);
  return now + missCost;
}

} // namespace nstf::emulator::timing
