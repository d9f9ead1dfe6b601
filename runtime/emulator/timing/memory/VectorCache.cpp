#include "runtime/emulator/timing/memory/VectorCache.h"

#include "runtime/emulator/timing/chip/ChipTiming.h"

namespace nstf::emulator::timing {

/// Address of a miss that no other load may share.
static constexpr uint64_t noAddress = ~uint64_t(0);

static uint32_t setsOfUnit(const ChipTiming &chip) {
  return uint32_t(std::max<uint64_t>(1, chip.l1Bytes / chip.l1LineBytes / chip.l1Ways));
}

/// Lines in adjacent sets.
static LineBlock blockOfUnit(const ChipTiming &chip) {
  const uint32_t sets = setsOfUnit(chip);
  return {std::has_single_bit(sets) ? std::min(sets, TagArray::maxMembers) : 1, chip.l1LineBytes};
}

VectorCache::VectorCache(const ChipTiming &chip, MemoryCounters &counters, L2 &l2)
    : chip(chip), counters(counters), l2(l2), tlb(chip, counters), sets(setsOfUnit(chip)),
      computeUnitsPerXcd(chip.computeUnitsPerXcd()), block(blockOfUnit(chip)), bundles(sets / block.lines()),
      units(chip.computeUnits), missDone(size_t(chip.computeUnits) * chip.l1MissesInFlight),
      missOf(chip.l1MissesInFlight > sets * chip.l1Ways ? missDone.size() : 0, noAddress),
      setFree(size_t(chip.computeUnits) * sets), visitsOfBlock(linesOfBlock / block.lines()),
      tags(chip.computeUnits * bundles, chip.l1Ways, block.lines()), perLine(1.0 / chip.vmemLinesPerClock),
      takesBlocks(l2.areBlocks() && chip.l1LineBytes == chip.l2LineBytes &&
                  chip.tlbPageBytes >= l2.tags().lineBlock().bytes()) {
  for (uint32_t dwords = 0; dwords < clocksOf.size(); ++dwords)
    clocksOf[dwords] = uint8_t(std::min(255u, (dwords * 4 + chip.l1BytesPerClock - 1) / chip.l1BytesPerClock));
}

void VectorCache::setClock(double clocksPerNs) {
  tlb.setClock(clocksPerNs);
  acknowledge = chip.storeAcknowledgeNs * clocksPerNs;
}

bool VectorCache::isInMemory(CachePolicy policy) const { return policy.scc || (policy.sc1 && chip.xcds > 1); }

void VectorCache::lookUp(uint32_t computeUnit, double now, const VectorAccess &access) {
  size_t count = 0;
  for (const LineAccess &piece : access.lines)
    count += piece.following + 1u;
  if (lines.size() < count) {
    lines.resize(count);
    visits.resize(count);
  }
  const bool isLoad = access.kind == AccessKind::Load, passes = !isLoad || access.policy.coherent();
  const bool streaming = access.policy.streaming();
  if (!passes) {
    findHeld(computeUnit, access.lines);
    if (!missOf.empty())
      findUnderWay(computeUnit, now);
  }
  const bool inMemory = isInMemory(access.policy);
  const L2Access kind = isLoad                             ? L2Access::Read
                        : access.kind == AccessKind::Store ? inMemory ? L2Access::WriteThrough : L2Access::Write
                        : inMemory                         ? L2Access::AtomicInMemory
                                                           : L2Access::Atomic;
  l2.tags().begin(getXcd(computeUnit), kind, streaming && kind <= L2Access::Write, count);
  addLines(access.lines, passes, takesBlocks && kind <= L2Access::Write);
  l2.tags().lookUp();
  if (!passes)
    fillMissing(computeUnit, streaming);
}

void VectorCache::prefetch(uint32_t computeUnit, std::span<const LineAccess> pieces) const {
  // Covers all of a stream; other accesses look up more than can be prefetched at a time.
  constexpr size_t blocks = 4;
  const uint32_t atOnce = block.lines();
  const double *misses = &missDone[size_t(computeUnit) * chip.l1MissesInFlight + units[computeUnit].oldestMiss];
  __builtin_prefetch(misses, 1);
  __builtin_prefetch(misses + atOnce, 1);
  size_t fetched = 0;
  for (size_t i = 0; i < pieces.size(); i += pieces[i].following ? 1 : atOnce)
    for (uint32_t line = 0; line <= pieces[i].following; line += atOnce) {
      const uint64_t address = pieces[i].address + uint64_t(line) * block.lineBytes();
      const uint32_t bundle = getBundle(computeUnit, block.number(address));
      tags.prefetch(bundle, block.index(address));
      __builtin_prefetch(&setFree[size_t(bundle) * atOnce], 1);
      if (!fetched || l2.tags().lineBlock().begin(address) == address)
        l2.tags().prefetch(getXcd(computeUnit), address);
      if (++fetched == blocks)
        return;
    }
}

void VectorCache::findHeld(uint32_t computeUnit, std::span<const LineAccess> pieces) {
  visitCount = 0;
  for (const LineAccess &piece : pieces) {
    uint64_t address = piece.address;
    for (uint32_t left = piece.following + 1u; left;) {
      const uint64_t number = block.number(address);
      if (!visitCount || visits[visitCount - 1].block != number) {
        visits[visitCount++] = {number, 0, {}, 0};
        if (visitCount > 1)
          tags.prefetch(getBundle(computeUnit, number), block.index(address));
      }
      const uint32_t index = block.index(address), count = std::min(left, block.lines() - index);
      visits[visitCount - 1].members |= ((1u << count) - 1) << index;
      left -= count;
      address += uint64_t(count) * block.lineBytes();
    }
  }
  for (size_t i = 0; i < visitCount; ++i)
    tags[getBundle(computeUnit, visits[i].block)].use(visits[i].found, visits[i].members, visits[i].block);
}

void VectorCache::findUnderWay(uint32_t computeUnit, double now) {
  const size_t first = size_t(computeUnit) * chip.l1MissesInFlight;
  const std::span<const uint64_t> addresses(&missOf[first], chip.l1MissesInFlight);
  const std::span<const double> done(&missDone[first], chip.l1MissesInFlight);
  underWayUntil.resize(std::max(underWayUntil.size(), visitCount * TagArray::maxMembers));
  for (size_t i = 0; i < visitCount; ++i) {
    Visit &visit = visits[i];
    for (uint32_t left = visit.members & ~visit.found.held; left; left &= left - 1) {
      const uint32_t member = uint32_t(std::countr_zero(left));
      const uint64_t address = visit.block * block.bytes() + uint64_t(member) * block.lineBytes();
      double until = 0;
      for (size_t place = 0; place < addresses.size(); ++place)
        until = std::max(until, addresses[place] == address ? done[place] : 0);
      if (until <= now)
        continue;
      visit.underWay |= 1u << member;
      underWayUntil[i * TagArray::maxMembers + member] = until;
    }
  }
}

void VectorCache::addLines(std::span<const LineAccess> pieces, bool passes, bool inBlocks) {
  lineCount = 0;
  Visit *visit = visits.data();
  for (const LineAccess &piece : pieces) {
    uint64_t address = piece.address;
    for (uint32_t left = piece.following + 1u; left;) {
      Line &line = lines[lineCount++];
      line = {address, piece.dwords, piece.lanes, false, nullptr, block.index(address), {}};
      if (!passes) {
        visit += visit->block != block.number(address);
        line.visit = visit;
      }
      if (inBlocks && left >= linesOfBlock && !~piece.dwords && l2.tags().lineBlock().begin(address) == address &&
          (passes || isMissing(visit))) {
        line.isBlock = true;
        line.l2.visit = &l2.tags().addBlock(address);
        left -= linesOfBlock;
        address += l2.tags().lineBlock().bytes();
        visit += passes ? 0 : visitsOfBlock - 1;
        continue;
      }
      if (!line.isHeld() && !line.isUnderWay())
        line.l2 = l2.tags().add(address, piece.dwords);
      --left;
      address += block.lineBytes();
    }
  }
}

/// Whether the L1 holds nothing of an L2 block.
bool VectorCache::isMissing(const Visit *first) const {
  return std::all_of(first, first + visitsOfBlock,
                     [](const Visit &visit) { return !visit.found.held && !visit.underWay; });
}

/// A single line of a block.
VectorCache::Line VectorCache::getLine(const Line &whole, uint32_t index) const {
  L2Visit *const visit = whole.l2.visit;
  const uint64_t address = whole.address + uint64_t(index) * block.lineBytes();
  return {address,
          whole.dwords,
          whole.lanes,
          false,
          whole.visit ? whole.visit + (block.number(address) - block.number(whole.address)) : nullptr,
          block.index(address),
          {visit, SetMap::getMember(visit->place, index)}};
}

void VectorCache::fillMissing(uint32_t computeUnit, bool streaming) {
  for (size_t i = 0; i < visitCount; ++i) {
    Visit &visit = visits[i];
    if (const uint32_t missing = visit.members & ~visit.found.held & ~visit.underWay)
      tags[getBundle(computeUnit, visit.block)].fill(visit.found, missing, visit.block, streaming);
  }
}

double VectorCache::load(uint32_t computeUnit, double &at, const Line &line, CachePolicy policy) {
  ++counters.l1Requests;
  if (line.isHeld()) {
    ++counters.l1Hits;
    const double hit = at + chip.l1Latency, ready = line.visit->found.ready(line.member).after(hit);
    counters.l1Merged += ready > hit;
    return ready;
  }
  if (line.isUnderWay()) {
    ++counters.l1Hits;
    const double hit = at + chip.l1Latency;
    const double until = underWayUntil[size_t(line.visit - visits.data()) * TagArray::maxMembers + line.member];
    counters.l1Merged += until > hit;
    return std::max(hit, until);
  }
  Unit &unit = units[computeUnit];
  const size_t place = size_t(computeUnit) * chip.l1MissesInFlight + unit.oldestMiss;
  double &oldest = missDone[place];
  if (!missOf.empty())
    missOf[place] = line.visit ? line.address : noAddress;
  unit.oldestMiss = unit.oldestMiss + 1 == chip.l1MissesInFlight ? 0 : unit.oldestMiss + 1;
  awaitPlace(at, oldest);
  double &free = setFree[getSet(computeUnit, line.address)];
  const double asked = std::max(at, free);
  free = asked + chip.l1SetMissClocks;
  const double delay = tlb.delay(computeUnit, asked, line.address);
  const double ready =
      l2.read(asked, line.l2, chip.l1LineBytes) + delay + (policy.coherent() ? chip.l2CoherentLatency : chip.l2Latency);
  if (line.visit)
    line.visit->found.ready(line.member).set(ready);
  return oldest = ready;
}

double VectorCache::loadBlock(uint32_t computeUnit, double &at, const Line &whole, CachePolicy policy) {
  Unit &unit = units[computeUnit];
  if (unit.oldestMiss + linesOfBlock > chip.l1MissesInFlight || !l2.isUniform(*whole.l2.visit, true)) {
    double last = 0;
    for (uint32_t i = 0; i < linesOfBlock; ++i) {
      last = std::max(last, load(computeUnit, at, getLine(whole, i), policy));
      at += perLine;
    }
    return last;
  }
  counters.l1Requests += linesOfBlock;
  const size_t place = size_t(computeUnit) * chip.l1MissesInFlight + unit.oldestMiss;
  double *const misses = &missDone[place];
  if (!missOf.empty())
    for (uint32_t i = 0; i < linesOfBlock; ++i)
      missOf[place + i] = whole.visit ? whole.address + uint64_t(i) * block.lineBytes() : noAddress;
  unit.oldestMiss = unit.oldestMiss + linesOfBlock == chip.l1MissesInFlight ? 0 : unit.oldestMiss + linesOfBlock;
  BlockTimes asked;
  for (uint32_t i = 0; i < linesOfBlock; ++i) {
    awaitPlace(at, misses[i]);
    double &free = setFree[getSet(computeUnit, whole.address + uint64_t(i) * block.lineBytes())];
    const double time = std::max(at, free);
    asked.set(i, time);
    free = time + chip.l1SetMissClocks;
    at += perLine;
  }
  const BlockTimes delay = tlb.delay(computeUnit, asked, whole.address);
  const double latency = policy.coherent() ? chip.l2CoherentLatency : chip.l2Latency;
  const BlockTimes ready = l2.read(asked, *whole.l2.visit) + delay + BlockTimes{latency, latency};
  for (uint32_t i = 0; i < linesOfBlock; ++i) {
    misses[i] = ready[i];
    if (const Line line = getLine(whole, i); line.visit)
      line.visit->found.ready(line.member).set(ready[i]);
  }
  return latest(ready);
}

double VectorCache::store(uint32_t computeUnit, double at, const Line &line, bool inMemory) {
  const uint32_t bytes = getBytes(line.dwords);
  const double delay = tlb.delay(computeUnit, at, line.address);
  const double wait =
      inMemory ? l2.writeThrough(at, line.l2, line.address, line.dwords, bytes) : l2.write(at, line.l2, bytes);
  return at + wait + delay + acknowledge;
}

double VectorCache::storeBlock(uint32_t computeUnit, double &at, const Line &whole) {
  if (!l2.isUniform(*whole.l2.visit, false)) {
    double last = 0;
    for (uint32_t i = 0; i < linesOfBlock; ++i) {
      last = std::max(last, store(computeUnit, at, getLine(whole, i), false));
      at += perLine;
    }
    return last;
  }
  BlockTimes asked;
  for (uint32_t i = 0; i < linesOfBlock; ++i) {
    asked.set(i, at);
    at += perLine;
  }
  const BlockTimes delay = tlb.delay(computeUnit, asked, whole.address);
  const BlockTimes taken = asked + l2.write(asked, *whole.l2.visit) + delay + BlockTimes{acknowledge, acknowledge};
  return latest(taken);
}

VectorCache::Reply VectorCache::access(uint32_t computeUnit, double now, const VectorAccess &access) {
  Unit &unit = units[computeUnit];
  CachePolicy policy = access.policy;
  bool inMemory = isInMemory(policy);
  double start = std::max(now, unit.addressFree), at = start;
  double last = start;     // when the last line is served
  uint32_t lineClocks = 0; // of the data path: the touched part of each line, in whole clocks
  uint32_t bytes = 0;      // touched
  placeWait = 0;
  lookUp(computeUnit, start, access);
  // Calls serve(line) for each line, and serveBlock(line) for all lines of a block, which return when they are served.
  auto forEachLine = [&](auto serve, auto serveBlock) {
    for (const Line &line : std::span(lines).first(lineCount)) {
      const uint32_t count = line.isBlock ? linesOfBlock : 1, ofLine = getBytes(line.dwords);
      lineClocks += count * clocksOf[ofLine / 4];
      bytes += count * ofLine;
      if (line.isBlock) {
        last = std::max(last, serveBlock(line));
      } else {
        last = std::max(last, serve(line));
        at += perLine;
      }
    }
  };
  switch (access.kind) {
  case AccessKind::Load:
    forEachLine([&](const Line &line) { return load(computeUnit, at, line, policy); },
                [&](const Line &whole) { return loadBlock(computeUnit, at, whole, policy); });
    counters.l1ReadBytes += bytes;
    break;
  case AccessKind::Store:
    forEachLine([&](const Line &line) { return store(computeUnit, at, line, inMemory); },
                [&](const Line &whole) { return storeBlock(computeUnit, at, whole); });
    counters.l1WriteBytes += bytes;
    break;
  case AccessKind::Atomic:
  case AccessKind::AtomicReturn:
    forEachLine(
        [&](const Line &line) {
          const double delay = tlb.delay(computeUnit, at, line.address);
          return l2.atomic(at, line.l2, line.dwords, line.lanes, inMemory) + delay + chip.l2CoherentLatency;
        },
        [](const Line &) { return 0.0; }); // lanes of a line are served one after the other
    break;
  }
  unit.addressFree = std::max(at, start + access.addressClocks * perLine);
  bool returns = access.kind == AccessKind::Load || access.kind == AccessKind::AtomicReturn;
  double clocks = returns ? std::max(double(lineClocks), double(access.dataBytes) / chip.l1BytesPerClock)
                          : double(access.dataBytes) / chip.l1WriteBytesPerClock;
  double wait = (returns ? unit.returns : unit.stores).book(start, clocks);
  double shortest = returns ? chip.l1Latency : acknowledge;
  return {unit.addressFree, std::max(last + wait, start + wait + shortest + std::max(0.0, clocks - 1)), placeWait};
}

void VectorCache::drop(uint32_t computeUnit) {
  tags.clear(computeUnit * bundles, bundles);
  if (!missOf.empty())
    std::fill_n(&missOf[size_t(computeUnit) * chip.l1MissesInFlight], chip.l1MissesInFlight, noAddress);
}

void VectorCache::drop() {
  tags.clear(0, uint32_t(units.size()) * bundles);
  std::ranges::fill(missOf, noAddress);
}

} // namespace nstf::emulator::timing
