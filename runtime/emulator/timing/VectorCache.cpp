#include "runtime/emulator/timing/VectorCache.h"

#include "runtime/emulator/timing/ChipTiming.h"
#include "runtime/emulator/timing/MemorySystem.h"

namespace nstf::emulator::timing {

static uint32_t setsOfUnit(const ChipTiming &chip) {
  return uint32_t(std::max<uint64_t>(1, chip.l1Bytes / chip.l1LineBytes / chip.l1Ways));
}

/// Lines that fall into neighbouring sets.
static LineBlock blockOfUnit(const ChipTiming &chip) {
  const uint32_t sets = setsOfUnit(chip);
  return {std::has_single_bit(sets) ? std::min(sets, TagArray::maxMembers) : 1, chip.l1LineBytes};
}

VectorCache::VectorCache(const ChipTiming &chip, MemoryCounters &counters, L2 &l2)
    : chip(chip), counters(counters), l2(l2), tlb(chip, counters), sets(setsOfUnit(chip)),
      computeUnitsPerXcd(chip.computeUnitsPerXcd()), block(blockOfUnit(chip)), bundles(sets / block.lines()),
      units(chip.computeUnits), missDone(size_t(chip.computeUnits) * chip.l1MissesInFlight),
      setFree(size_t(chip.computeUnits) * sets), tags(chip.computeUnits * bundles, chip.l1Ways, block.lines()),
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
  const size_t count = access.lines.size();
  if (lines.size() < count) {
    lines.resize(count);
    visits.resize(count);
  }
  const bool isLoad = access.kind == AccessKind::Load, passes = !isLoad || access.policy.coherent();
  const bool streaming = access.policy.streaming();
  if (!passes)
    findHeld(computeUnit, access.lines);
  const bool inMemory = isInMemory(access.policy);
  const L2Access kind = isLoad                             ? L2Access::Read
                        : access.kind == AccessKind::Store ? inMemory ? L2Access::WriteThrough : L2Access::Write
                        : inMemory                         ? L2Access::AtomicInMemory
                                                           : L2Access::Atomic;
  l2.tags().begin(xcdOf(computeUnit), kind, streaming && kind <= L2Access::Write, count);
  for (size_t i = 0; i < count; ++i) {
    if (passes)
      lines[i].visit = nullptr;
    if (!lines[i].isHeld())
      lines[i].l2 = l2.tags().add(access.lines[i].address, access.lines[i].dwords);
  }
  l2.tags().lookUp();
  if (!passes)
    fillMissing(computeUnit, streaming);
}

void VectorCache::prefetch(uint32_t computeUnit, std::span<const LineAccess> pieces) const {
  // Of a stream all; others would look up more than can be fetched at a time.
  constexpr size_t blocks = 4;
  const uint32_t linesOfBlock = block.lines();
  const double *misses = &missDone[size_t(computeUnit) * chip.l1MissesInFlight + units[computeUnit].oldestMiss];
  __builtin_prefetch(misses, 1);
  __builtin_prefetch(misses + linesOfBlock, 1);
  for (size_t i = 0; i < std::min(pieces.size(), blocks * linesOfBlock); i += linesOfBlock) {
    const uint32_t bundle = bundleOf(computeUnit, block.number(pieces[i].address));
    tags.prefetch(bundle, block.index(pieces[i].address));
    __builtin_prefetch(&setFree[size_t(bundle) * linesOfBlock], 1);
    if (!i || l2.tags().lineBlock().begin(pieces[i].address) == pieces[i].address)
      l2.tags().prefetch(xcdOf(computeUnit), pieces[i].address);
  }
}

void VectorCache::findHeld(uint32_t computeUnit, std::span<const LineAccess> pieces) {
  visitCount = 0;
  for (size_t i = 0; i < pieces.size();) {
    Visit &visit = visits[visitCount++];
    visit.block = block.number(pieces[i].address);
    visit.members = 0;
    for (; i < pieces.size() && block.number(pieces[i].address) == visit.block; ++i) {
      lines[i].visit = &visit;
      lines[i].member = block.index(pieces[i].address);
      visit.members |= 1u << lines[i].member;
    }
    if (visitCount > 1)
      tags.prefetch(bundleOf(computeUnit, visit.block), lines[i - 1].member);
  }
  for (size_t i = 0; i < visitCount; ++i)
    tags[bundleOf(computeUnit, visits[i].block)].use(visits[i].found, visits[i].members, visits[i].block);
}

void VectorCache::fillMissing(uint32_t computeUnit, bool streaming) {
  for (size_t i = 0; i < visitCount; ++i) {
    Visit &visit = visits[i];
    if (const uint32_t missing = visit.members & ~visit.found.held)
      tags[bundleOf(computeUnit, visit.block)].fill(visit.found, missing, visit.block, streaming);
  }
}

double VectorCache::load(uint32_t computeUnit, double &at, const Line &line, uint64_t address, CachePolicy policy) {
  ++counters.l1Requests;
  if (line.isHeld()) {
    ++counters.l1Hits;
    const double hit = at + chip.l1Latency, ready = line.visit->found.ready(line.member).after(hit);
    counters.l1Merged += ready > hit;
    return ready;
  }
  Unit &unit = units[computeUnit];
  double &oldest = missDone[size_t(computeUnit) * chip.l1MissesInFlight + unit.oldestMiss];
  unit.oldestMiss = unit.oldestMiss + 1 == chip.l1MissesInFlight ? 0 : unit.oldestMiss + 1;
  at = std::max(at, oldest);
  double &free = setFree[bundleOf(computeUnit, block.number(address)) * block.lines() + block.index(address)];
  const double asked = std::max(at, free);
  free = asked + chip.l1SetMissClocks;
  const double delay = tlb.delay(computeUnit, asked, address);
  const double ready =
      l2.read(asked, line.l2, chip.l1LineBytes) + delay + (policy.coherent() ? chip.l2CoherentLatency : chip.l2Latency);
  if (line.visit)
    line.visit->found.ready(line.member).set(ready);
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
    forEachLine([&](const LineAccess &piece, const Line &line, uint32_t bytes) {
      counters.l1ReadBytes += bytes;
      return load(computeUnit, at, line, piece.address, policy);
    });
    break;
  case AccessKind::Store:
    forEachLine([&](const LineAccess &piece, const Line &line, uint32_t bytes) {
      counters.l1WriteBytes += bytes;
      const double delay = tlb.delay(computeUnit, at, piece.address);
      const double wait =
          inMemory ? l2.writeThrough(at, line.l2, piece.address, piece.dwords, bytes) : l2.write(at, line.l2, bytes);
      return at + wait + delay + acknowledge;
    });
    break;
  case AccessKind::Atomic:
  case AccessKind::AtomicReturn:
    forEachLine([&](const LineAccess &piece, const Line &line, uint32_t) {
      const double delay = tlb.delay(computeUnit, at, piece.address);
      return l2.atomic(at, line.l2, piece.dwords, piece.lanes, inMemory) + delay + chip.l2CoherentLatency;
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

void VectorCache::drop(uint32_t computeUnit) { tags.clear(computeUnit * bundles, bundles); }

void VectorCache::drop() { tags.clear(0, uint32_t(units.size()) * bundles); }

} // namespace nstf::emulator::timing
