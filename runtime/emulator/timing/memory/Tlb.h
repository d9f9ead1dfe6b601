// Address translation: the pages whose translations each compute unit holds.
#pragma once

#include "runtime/emulator/timing/memory/BlockTimes.h"
#include "runtime/emulator/timing/memory/TagArray.h"
#include "runtime/emulator/timing/prediction/MemoryCounters.h"

#include <vector>

namespace nstf::emulator::timing {

struct ChipTiming;

class Tlb {
public:
  Tlb(const ChipTiming &chip, MemoryCounters &counters);
  void setClock(double clocksPerNs);

  /// The delay of an access at `now` by its address translation.
  double delay(uint32_t computeUnit, double now, uint64_t address) {
    return std::max(0.0, ready(computeUnit, now, address) - now);
  }
  /// The same for the lines of a block, which lies in one page.
  BlockTimes delay(uint32_t computeUnit, const BlockTimes &now, uint64_t address) {
    const double there = ready(computeUnit, now[0], address);
    counters.translations += linesOfBlock - 1;
    return {later(Quad(0), there - now.of[0]), later(Quad(0), there - now.of[1])};
  }

private:
  /// When the translation is available.
  double ready(uint32_t computeUnit, double now, uint64_t address) {
    ++counters.translations;
    Last &latest = last[computeUnit];
    if (uint64_t page = address >> pageShift; latest.page != page)
      latest = {page, lookUp(computeUnit, now, page)};
    return latest.ready;
  }
  double lookUp(uint32_t computeUnit, double now, uint64_t page);

  const ChipTiming &chip;
  MemoryCounters &counters;
  struct Last {
    uint64_t page = ~uint64_t(0);
    double ready = 0;
  };
  std::vector<Last> last; ///< by compute unit
  TagArray pages;
  uint32_t pageShift;
  double missCost = 0;
};

} // namespace nstf::emulator::timing
