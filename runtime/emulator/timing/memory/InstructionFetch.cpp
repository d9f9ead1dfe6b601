#include "runtime/emulator/timing/memory/InstructionFetch.h"
#include "runtime/emulator/timing/chip/ChipTiming.h"

#include <algorithm>
#include <bit>

namespace nstf::emulator::timing {

InstructionCache::InstructionCache(const ChipTiming &chip)
    : lineShift(uint32_t(std::countr_zero(chip.instructionLineBytes))),
      sets(std::max<uint64_t>(1, chip.instructionCacheBytes / (chip.instructionLineBytes * chip.instructionCacheWays))),
      associativity(chip.instructionCacheWays), lines(sets * associativity, ~uint64_t(0)), ways(sets * associativity) {}

Clocks InstructionCache::find(uint64_t line) {
  const uint64_t first = getFirst(line);
  for (uint64_t at = first; at < first + associativity; ++at)
    if (lines[at] == line) {
      ways[at].used = ++uses;
      return ways[at].inserted > launchBegin ? ways[at].ready : 0;
    }
  return never;
}

void InstructionCache::insert(uint64_t line, Clocks ready) {
  const auto set = ways.begin() + ptrdiff_t(getFirst(line));
  const auto oldest =
      std::min_element(set, set + ptrdiff_t(associativity), [](const Way &a, const Way &b) { return a.used < b.used; });
  ++uses;
  lines[size_t(oldest - ways.begin())] = line;
  *oldest = {ready, uses, uses};
}

} // namespace nstf::emulator::timing
