#include "runtime/emulator/timing/Tlb.h"

#include "runtime/emulator/timing/ChipTiming.h"

#include <algorithm>

namespace nstf::emulator::timing {

Tlb::Tlb(const ChipTiming &chip, MemoryCounters &counters)
    : chip(chip), counters(counters), last(chip.computeUnits),
      pages(chip.computeUnits, uint32_t(std::clamp<uint64_t>(chip.tlbReachBytes / chip.tlbPageBytes, 1, 256))) {}

void Tlb::setClock(double clocksPerNs) { missCost = chip.tlbMissNs * clocksPerNs; }

double Tlb::delay(uint32_t computeUnit, double now, uint64_t address) {
  ++counters.translations;
  Last &latest = last[computeUnit];
  uint64_t page = address / chip.tlbPageBytes;
  if (latest.page != page) {
    uint32_t way = pages.find(computeUnit, page);
    if (way == TagArray::none) {
      ++counters.translationMisses;
      way = pages.victim(computeUnit);
      pages.fill(computeUnit, way, page);
      pages.setReady(computeUnit, way, now + missCost);
    } else {
      pages.use(computeUnit, way);
    }
    latest = {page, pages.whenReady(computeUnit, way, now)};
  }
  return std::max(0.0, latest.ready - now);
}

} // namespace nstf::emulator::timing
