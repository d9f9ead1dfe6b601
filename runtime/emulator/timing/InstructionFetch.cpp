#include "runtime/emulator/timing/InstructionFetch.h"
#include "runtime/emulator/timing/ChipTiming.h"

#include <algorithm>
#include <bit>

namespace nstf::emulator::timing {

InstructionCache::InstructionCache(const ChipTiming &chip)
    : lineShift(uint32_t(std::countr_zero(chip.instructionLineBytes))),
      sets(std::max<uint64_t>(1, chip.instructionCacheBytes / (chip.instructionLineBytes * chip.instructionCacheWays))),
      associativity(chip.instructionCacheWays), ways(sets * associativity) {}

Clocks InstructionCache::find(uint64_t line) {
  Way *set = setOf(line);
  for (Way *way = set; way != set + associativity; ++way)
    if (way->line == line) {
      way->used = ++uses;
      return way->inserted > launchBegin ? way->ready : 0;
    }
  return never;
}

void InstructionCache::insert(uint64_t line, Clocks ready) {
  Way *set = setOf(line);
  Way &oldest = *std::min_element(set, set + associativity, [](const Way &a, const Way &b) { return a.used < b.used; });
  ++uses;
  oldest = {line, ready, uses, uses};
}

} // namespace nstf::emulator::timing
