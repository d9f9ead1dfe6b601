// Address translation: the pages that each compute unit has at hand.
#pragma once

#include "runtime/emulator/timing/MemoryCounters.h"
#include "runtime/emulator/timing/TagArray.h"

#include <vector>

namespace nstf::emulator::timing {

struct ChipTiming;

class Tlb {
public:
  Tlb(const ChipTiming &chip, MemoryCounters &counters);
  void setClock(double clocksPerNs);

  /// How much later an access at `now` goes on for its translation.
  double delay(uint32_t computeUnit, double now, uint64_t address) {
    ++counters.translations;
    Last &latest = last[computeUnit];
    if (uint64_t page = address >> pageShift; latest.page != page)
      latest = {page, lookUp(computeUnit, now, page)};
    return std::max(0.0, latest.ready - now);
  }

private:
  double lookUp(uint32_t computeUnit, double now, uint64_t page);

  const ChipTiming &chip;
  MemoryCounters &counters;
  struct Last {
    uint64_t page = ~uint64_t(0);
    double ready = 0;
  };
  std::vector<Last> last; ///< of each compute unit
  TagArray pages;
  uint32_t pageShift;
  double missCost = 0;
};

} // namespace nstf::emulator::timing
