#include "runtime/emulator/timing/memory/Tlb.h"

#include "runtime/emulator/timing/chip/ChipTiming.h"

#include <bit>

namespace nstf::emulator::timing {

Tlb::Tlb(const ChipTiming &chip, MemoryCounters &counters)
    : chip(chip), counters(counters), last(chip.computeUnits),
      pages(chip.computeUnits,
            uint32_t(std::clamp<uint64_t>(chip.tlbReachBytes / chip.tlbPageBytes, 1, TagArray::maxWays))),
      pageShift(uint32_t(std::countr_zero(chip.tlbPageBytes))) {}

void Tlb::setClock(double clocksPerNs) { missCost = chip.tlbMissNs * clocksPerNs; }

/// When the page's translation is available.
double Tlb::lookUp(uint32_t computeUnit, double now, uint64_t page) {
  TagArray::Bundle set = pages[computeUnit];
  TagArray::Found found;
  set.use(found, 1, page);
  if (found.held)
    return found.ready(0).after(now);
  ++counters.translationMisses;
  set.fill(found, 1, page);
  found.ready(0).set(now + missCost);
  return now + missCost;
}

} // namespace nstf::emulator::timing
