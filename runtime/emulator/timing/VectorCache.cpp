#include "runtime/emulator/timing/VectorCache.h"

#include "runtime/emulator/timing/ChipTiming.h"
#include "runtime/emulator/timing/MemorySystem.h"

namespace nstf::emulator::timing {

static uint32_t setsOfUnit(const ChipTiming &chip) {
  return uint32_t(std::max<uint64_t>(1, chip.l1Bytes / chip.l1LineBytes / chip.l1Ways));
}

VectorCache::VectorCache(const ChipTiming &chip, MemoryCounters &counters, L2 &l2)
    : chip(chip), counters(counters), l2(l2), tlb(chip, counters), sets(setsOfUnit(chip)),
      computeUnitsPerXcd(chip.computeUnitsPerXcd()), lineShift(std::countr_zero(chip.l1LineBytes)),
      units(chip.computeUnits), missDone(size_t(chip.computeUnits) * chip.l1MissesInFlight),
      tags(chip.computeUnits * sets, chip.l1Ways), perLine(1.0 / chip.vmemLinesPerClock) {
  for (uint32_t dwords = 0; dwords < clocksOf.size(); ++dwords)
    clocksOf[dwords] = uint8_t(std::min(255u, (dwords * 4 + chip.l1BytesPerClock - 1) / chip.l1BytesPerClock));
}

void VectorCache::setClock(double clocksPerNs) {
  tlb.setClock(clocksPerNs);
  acknowledge = chip.storeAcknowledgeNs * clocksPerNs;
}

bool VectorCache::isInMemory(CachePolicy policy) const { return policy.scc || (policy.sc1 && chip.xcds > 1); }

void VectorCache::lookUp(uint32_t computeUnit, const VectorAccess &access) {
  lines.clear();
  __builtin_prefetch(&missDone[size_t(computeUnit) * chip.l1MissesInFlight + units[computeUnit].oldestMiss], 1);
  bool passes = access.kind != AccessKind::Load || access.policy.coherent();
  bool behind = access.kind != AccessKind::Store || isInMemory(access.policy);
  for (const LineAccess &line : access.lines) {
    uint64_t number = line.address >> lineShift;
    uint32_t set = setOf(computeUnit, number), way = passes ? TagArray::none : tags[set].find(number);
    if (way == TagArray::none) {
      lines.push_back({set, way, l2.homeOf(xcdOf(computeUnit), line.address, behind)});
    } else {
      tags[set].use(way);
      lines.push_back({set, way, {}});
    }
  }
  for (const Line &line : lines)
    if (line.way == TagArray::none)
      l2.prefetchVictim(line.home);
}

double VectorCache::load(uint32_t computeUnit, double &at, const Line &line, CachePolicy policy) {
  ++counters.l1Requests;
  if (line.way != TagArray::none) {
    ++counters.l1Hits;
    double hit = at + chip.l1Latency, ready = tags[line.set].whenReady(line.way, hit);
    counters.l1Merged += ready > hit;
    return ready;
  }
  Unit &unit = units[computeUnit];
  double &oldest = missDone[size_t(computeUnit) * chip.l1MissesInFlight + unit.oldestMiss];
  unit.oldestMiss = unit.oldestMiss + 1 == chip.l1MissesInFlight ? 0 : unit.oldestMiss + 1;
  at = std::max(at, oldest);
  uint64_t address = line.home.memory.address;
  double delay = tlb.delay(computeUnit, at, address);
  double ready = l2.read(at, line.home, chip.l1LineBytes, policy.streaming()) + delay +
                 (policy.coherent() ? chip.l2CoherentLatency : chip.l2Latency);
  if (!policy.coherent()) {
    TagArray::Set set = tags[line.set];
    uint32_t way = set.victim();
    set.fill(way, address >> lineShift, policy.streaming());
    set.setReady(way, ready);
  }
  return oldest = ready;
}

VectorCache::Reply VectorCache::access(uint32_t computeUnit, double now, const VectorAccess &access) {
  Unit &unit = units[computeUnit];
  CachePolicy policy = access.policy;
  bool inMemory = isInMemory(policy);
  double start = std::max(now, unit.addressFree), at = start;
  double last = start;     // when the last line is served
  uint32_t lineClocks = 0; // of the data path: what is touched of each line, in whole clocks
  lookUp(computeUnit, access);
  for (size_t i = 0; i < access.lines.size(); ++i) {
    const LineAccess &line = access.lines[i];
    uint32_t bytes = uint32_t(std::popcount(line.dwords)) * 4;
    lineClocks += clocksOf[bytes / 4];
    switch (access.kind) {
    case AccessKind::Load:
      counters.l1ReadBytes += bytes;
      last = std::max(last, load(computeUnit, at, lines[i], policy));
      break;
    case AccessKind::Store: {
      counters.l1WriteBytes += bytes;
      double delay = tlb.delay(computeUnit, at, line.address);
      double wait = inMemory ? l2.writeThrough(at, lines[i].home, line.dwords, bytes)
                             : l2.write(at, lines[i].home, line.dwords, bytes, policy.streaming());
      last = std::max(last, at + wait + delay + acknowledge);
      break;
    }
    case AccessKind::Atomic:
    case AccessKind::AtomicReturn: {
      double delay = tlb.delay(computeUnit, at, line.address);
      last = std::max(last,
                      l2.atomic(at, lines[i].home, line.dwords, line.lanes, inMemory) + delay + chip.l2CoherentLatency);
      break;
    }
    }
    at += perLine;
  }
  unit.addressFree = std::max(at, start + access.addressClocks * perLine);
  bool returns = access.kind == AccessKind::Load || access.kind == AccessKind::AtomicReturn;
  double clocks = returns ? std::max(double(lineClocks), double(access.dataBytes) / chip.l1BytesPerClock)
                          : double(access.dataBytes) / chip.l1WriteBytesPerClock;
  double wait = (returns ? unit.returns : unit.stores).book(start, clocks);
  double shortest = returns ? chip.l1Latency : acknowledge;
  return {unit.addressFree, std::max(last + wait, start + wait + shortest + std::max(0.0, clocks - 1))};
}

void VectorCache::drop(uint32_t computeUnit) { tags.clear(computeUnit * sets, sets); }

void VectorCache::drop() { tags.clear(0, uint32_t(units.size()) * sets); }

} // namespace nstf::emulator::timing
