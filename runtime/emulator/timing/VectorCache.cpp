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
      setFree(size_t(chip.computeUnits) * sets), tags(chip.computeUnits * sets, chip.l1Ways),
      perLine(1.0 / chip.vmemLinesPerClock) {
  for (uint32_t dwords = 0; dwords < clocksOf.size(); ++dwords)
    clocksOf[dwords] = uint8_t(std::min(255u, (dwords * 4 + chip.l1BytesPerClock - 1) / chip.l1BytesPerClock));
}

void VectorCache::setClock(double clocksPerNs) {
  tlb.setClock(clocksPerNs);
  acknowledge = chip.storeAcknowledgeNs * clocksPerNs;
}

bool VectorCache::isInMemory(CachePolicy policy) const { return policy.scc || (policy.sc1 && chip.xcds > 1); }

void VectorCache::lookUp(uint32_t computeUnit, const VectorAccess &access) {
  if (lines.size() < access.lines.size())
    lines.resize(access.lines.size());
  __builtin_prefetch(&missDone[size_t(computeUnit) * chip.l1MissesInFlight + units[computeUnit].oldestMiss], 1);
  const bool passes = access.kind != AccessKind::Load || access.policy.coherent();
  const uint32_t xcd = xcdOf(computeUnit);
  Line *line = lines.data();
  for (const LineAccess &piece : access.lines) {
    const uint64_t number = piece.address >> lineShift;
    line->set = setOf(computeUnit, number);
    line->way = passes ? TagArray::none : tags[line->set].find(number);
    if (line->way == TagArray::none) {
      line->home = l2.homeOf(xcd, piece.address);
      l2.prefetch(line->home);
    } else {
      tags[line->set].use(line->way);
    }
    ++line;
  }
  const L2::Goes goes = isInMemory(access.policy) && access.kind != AccessKind::Load ? L2::Goes::OnAlways
                        : access.kind == AccessKind::Store                           ? L2::Goes::Nowhere
                                                                                     : L2::Goes::OnIfMissing;
  for (Line *missing = lines.data(); missing != line; ++missing)
    if (missing->way == TagArray::none)
      l2.prefetchMemory(missing->home, goes);
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
  const double asked = std::max(at, setFree[line.set]);
  setFree[line.set] = asked + chip.l1SetMissClocks;
  uint64_t address = line.home.memory.address;
  double delay = tlb.delay(computeUnit, asked, address);
  double ready = l2.read(asked, line.home, chip.l1LineBytes, policy.streaming()) + delay +
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
  const Line *place = lines.data();
  // Calls serve(piece, place, bytes) for each line, which returns when it is served.
  auto forEachLine = [&](auto serve) {
    for (const LineAccess &piece : access.lines) {
      const uint32_t dwords = ~piece.dwords ? uint32_t(std::popcount(piece.dwords)) : 32; // mostly all
      lineClocks += clocksOf[dwords];
      last = std::max(last, serve(piece, *place++, dwords * 4));
      at += perLine;
    }
  };
  switch (access.kind) {
  case AccessKind::Load:
    forEachLine([&](const LineAccess &, const Line &line, uint32_t bytes) {
      counters.l1ReadBytes += bytes;
      return load(computeUnit, at, line, policy);
    });
    break;
  case AccessKind::Store:
    forEachLine([&](const LineAccess &piece, const Line &line, uint32_t bytes) {
      counters.l1WriteBytes += bytes;
      const double delay = tlb.delay(computeUnit, at, piece.address);
      const double wait = inMemory ? l2.writeThrough(at, line.home, piece.dwords, bytes)
                                   : l2.write(at, line.home, piece.dwords, bytes, policy.streaming());
      return at + wait + delay + acknowledge;
    });
    break;
  case AccessKind::Atomic:
  case AccessKind::AtomicReturn:
    forEachLine([&](const LineAccess &piece, const Line &line, uint32_t) {
      const double delay = tlb.delay(computeUnit, at, piece.address);
      return l2.atomic(at, line.home, piece.dwords, piece.lanes, inMemory) + delay + chip.l2CoherentLatency;
    });
    break;
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
