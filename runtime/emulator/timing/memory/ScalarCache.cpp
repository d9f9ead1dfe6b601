#include "runtime/emulator/timing/memory/ScalarCache.h"

#include "runtime/emulator/timing/chip/ChipTiming.h"

namespace nstf::emulator::timing {

static uint32_t setsOfCache(const ChipTiming &chip) {
  return uint32_t(std::max<uint64_t>(1, chip.scalarCacheBytes / chip.scalarLineBytes / chip.scalarCacheWays));
}

ScalarCache::ScalarCache(const ChipTiming &chip, MemoryCounters &counters, L2 &l2)
    : chip(chip), counters(counters), computeUnitsPerXcd(chip.computeUnitsPerXcd()),
      cachesPerXcd((computeUnitsPerXcd + chip.scalarCacheSharers - 1) / chip.scalarCacheSharers), l2(l2),
      setOf(setsOfCache(chip)), sets(setsOfCache(chip)), ports(size_t(chip.xcds) * cachesPerXcd),
      tags(chip.xcds * cachesPerXcd * sets, chip.scalarCacheWays) {}

uint32_t ScalarCache::getCache(uint32_t computeUnit) const {
  return computeUnit / computeUnitsPerXcd * cachesPerXcd + computeUnit % computeUnitsPerXcd / chip.scalarCacheSharers;
}

double ScalarCache::read(uint32_t computeUnit, double now, uint64_t address) {
  ++counters.scalarRequests;
  uint32_t cache = getCache(computeUnit);
  uint64_t line = address / chip.scalarLineBytes;
  TagArray::Bundle set = tags[cache * sets + setOf(line)];
  double begin = now + ports[cache].book(now, 1);
  TagArray::Found found;
  set.use(found, 1, line);
  if (found.held) {
    ++counters.scalarHits;
    return found.ready(0).after(begin + chip.scalarLatency);
  }
  set.fill(found, 1, line);
  const uint32_t xcd = computeUnit / computeUnitsPerXcd;
  const double ready = l2.read(xcd, begin, line * chip.scalarLineBytes, chip.scalarLineBytes) + chip.scalarMissLatency;
  found.ready(0).set(ready);
  return ready;
}

void ScalarCache::drop(uint32_t computeUnit) { tags.clear(getCache(computeUnit) * sets, sets); }

void ScalarCache::drop() { tags.clear(0, uint32_t(ports.size()) * sets); }

} // namespace nstf::emulator::timing
