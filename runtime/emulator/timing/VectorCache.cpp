#include "runtime/emulator/timing/VectorCache.h"

#include "runtime/emulator/timing/ChipTiming.h"
#include "runtime/emulator/timing/MemorySystem.h"

namespace nstf::emulator::timing {

static uint32_t setsOfUnit(const ChipTiming &chip) {
  return uint32_t(std::max<uint64_t>(1, chip.l1Bytes / chip.l1LineBytes / chip.l1Ways));
}

VectorCache::VectorCache(const ChipTiming &chip, MemoryCounters &counters, L2 &l2)
    : chip(chip), counters(counters), l2(l2), tlb(chip, counters), setInUnit(setsOfUnit(chip)), sets(setsOfUnit(chip)),
      computeUnitsPerXcd(chip.computeUnitsPerXcd()), units(chip.computeUnits),
      missDone(size_t(chip.computeUnits) * chip.l1MissesInFlight), tags(chip.computeUnits * sets, chip.l1Ways) {}

void VectorCache::setClock(double clocksPerNs) {
  tlb.setClock(clocksPerNs);
  acknowledge = chip.storeAcknowledgeNs * clocksPerNs;
}

void VectorCache::lookUp(uint32_t computeUnit, const VectorAccess &access) {
  ways.clear();
  for (const LineAccess &line : access.lines) {
    uint64_t number = line.address / chip.l1LineBytes;
    uint32_t set = setOf(computeUnit, number);
    uint32_t way = access.policy.coherent() ? TagArray::none : tags.find(set, number);
    ways.push_back(way);
    if (way == TagArray::none)
      l2.prefetch(xcdOf(computeUnit), line.address);
    else
      tags.use(set, way);
  }
}

double VectorCache::load(uint32_t computeUnit, double &at, uint64_t address, uint32_t way, CachePolicy policy) {
  ++counters.l1Requests;
  uint64_t line = address / chip.l1LineBytes;
  uint32_t set = setOf(computeUnit, line);
  if (way != TagArray::none) {
    ++counters.l1Hits;
    double hit = at + chip.l1Latency, ready = tags.whenReady(set, way, hit);
    counters.l1Merged += ready > hit;
    return ready;
  }
  Unit &unit = units[computeUnit];
  double &oldest = missDone[size_t(computeUnit) * chip.l1MissesInFlight + unit.oldestMiss];
  unit.oldestMiss = unit.oldestMiss + 1 == chip.l1MissesInFlight ? 0 : unit.oldestMiss + 1;
  at = std::max(at, oldest);
  double delay = tlb.delay(computeUnit, at, address);
  double ready = l2.read(xcdOf(computeUnit), at, address, chip.l1LineBytes, policy.streaming()) + delay +
                 (policy.coherent() ? chip.l2CoherentLatency : chip.l2Latency);
  if (!policy.coherent()) {
    way = tags.victim(set);
    tags.fill(set, way, line, policy.streaming());
    tags.setReady(set, way, ready);
  }
  return oldest = ready;
}

VectorCache::Reply VectorCache::access(uint32_t computeUnit, double now, const VectorAccess &access) {
  Unit &unit = units[computeUnit];
  uint32_t xcd = xcdOf(computeUnit);
  CachePolicy policy = access.policy;
  // Other XCDs, or the host, are to see it.
  bool inMemory = policy.scc || (policy.sc1 && chip.xcds > 1);
  double start = std::max(now, unit.addressFree), at = start, perLine = 1.0 / chip.vmemLinesPerClock;
  double last = start;     // when the last line is served
  uint32_t lineClocks = 0; // of the data path: what is touched of each line, in whole clocks
  if (access.kind == AccessKind::Load)
    lookUp(computeUnit, access);
  for (size_t i = 0; i < access.lines.size(); ++i) {
    const LineAccess &line = access.lines[i];
    uint32_t bytes = uint32_t(std::popcount(line.dwords)) * 4;
    lineClocks += (bytes + chip.l1BytesPerClock - 1) / chip.l1BytesPerClock;
    switch (access.kind) {
    case AccessKind::Load:
      counters.l1ReadBytes += bytes;
      last = std::max(last, load(computeUnit, at, line.address, ways[i], policy));
      break;
    case AccessKind::Store: {
      counters.l1WriteBytes += bytes;
      double delay = tlb.delay(computeUnit, at, line.address);
      double wait = inMemory ? l2.writeThrough(xcd, at, line.address, line.dwords)
                             : l2.write(xcd, at, line.address, line.dwords, policy.streaming());
      last = std::max(last, at + wait + delay + acknowledge);
      break;
    }
    case AccessKind::Atomic:
    case AccessKind::AtomicReturn: {
      double delay = tlb.delay(computeUnit, at, line.address);
      last = std::max(last, l2.atomic(xcd, at, line, inMemory) + delay + chip.l2CoherentLatency);
      break;
    }
    }
    at += perLine;
  }
  unit.addressFree = std::max(at, start + access.addressClocks);
  bool returns = access.kind == AccessKind::Load || access.kind == AccessKind::AtomicReturn;
  double clocks = returns ? std::max(double(lineClocks), double(access.dataBytes) / chip.l1BytesPerClock)
                          : double(access.dataBytes) / chip.l1WriteBytesPerClock;
  double wait = (returns ? unit.returns : unit.stores).book(start, clocks);
  double shortest = returns ? chip.l1Latency : acknowledge;
  return {unit.addressFree, std::max(last + wait, start + wait + shortest + std::max(0.0, clocks - 1))};
}

void VectorCache::drop(uint32_t computeUnit) { tags.dropSets(computeUnit * sets, sets); }

void VectorCache::drop() { tags.dropSets(0, uint32_t(units.size()) * sets); }

} // namespace nstf::emulator::timing
