#include "runtime/emulator/timing/memory/Fabric.h"

#include <bit>

namespace nstf::emulator::timing {

/// Maximum number of counted reads of a slice that no write has followed: more than wait in a slice at a time.
static constexpr uint32_t readsBehind = 16;

static LineBlock blockOf(const ChipTiming &chip) {
  const LineBlock block = LineBlock::of(chip);
  // Longer lines are blocks by themselves.
  return chip.mallBytes && chip.mallLineBytes > chip.l2LineBytes ? LineBlock(1, chip.mallLineBytes) : block;
}
static uint32_t setsOfSlice(const ChipTiming &chip) {
  return chip.mallBytes ? setsOfChannel(chip.mallBytes, chip.mallSlices, chip.mallWays, blockOf(chip)) : 1;
}

Fabric::Fabric(const ChipTiming &chip, MemoryCounters &counters)
    : chip(chip), counters(counters), block(blockOf(chip)), dram(chip, counters, block), sectorsOf(block.lineBytes()),
      sectorsOfL2(chip.l2LineBytes), map(chip.mallSlices, setsOfSlice(chip), chip.interleaveBytes, block),
      slices(chip.mallSlices), reads(chip.mallSlices),
      tags(chip.mallBytes ? map.bundles() : 1, chip.mallBytes ? chip.mallWays : 1, block.lines()) {}

void Fabric::setClock(double clocksPerNs) {
  dram.setClock(clocksPerNs);
  if (chip.mallBytes == 0)
    return;
  latency = chip.mallLatencyNs * clocksPerNs;
  readService = chip.l2LineBytes * chip.mallSlices * clocksPerNs / chip.mallReadBandwidth;
  writePerByte = chip.mallSlices * clocksPerNs / chip.mallWriteBandwidth;
  // The constants are of long streams. A copy takes the time of its reads and of its writes, plus this turnaround for
  // each pair.
  const double copyPerByte = chip.mallSlices * clocksPerNs / chip.mallCopyBandwidth;
  turnaround = std::max(0.0, (2 * copyPerByte - writePerByte) * chip.l2LineBytes - readService);
}

void Fabric::lookUp(Visit &visit) {
  visit.home = dram.getHome(visit.block);
  if (chip.mallBytes == 0)
    return;
  TagArray::Bundle bundle = tags[visit.place.bundle];
  const uint64_t number = block.number(visit.block);
  TagArray::Found &found = visit.found;
  bundle.use(found, visit.members, number, visit.isRead ? TagArray::forAll(whole()) : 0);
  visit.hits = found.complete;
  visit.leaves = 0;
  uint64_t sectors = visit.sectors;
  if (const uint32_t missing = visit.members & ~found.held) {
    bundle.fill(found, missing, number);
    const uint64_t held = TagArray::getBytes(found.held);
    sectors |= found.sectors & held;
    visit.leaves = found.sectors >> 4 & TagArray::forAll(0xf) & ~held; // Sectors::dirty
    leave(visit);
  } else {
    sectors |= found.sectors;
  }
  bundle.setSectors(visit.members, found, sectors);
}

void Fabric::leave(Visit &visit) {
  visit.leaveTogether = false;
  for (uint32_t left = TagArray::getMembers(visit.leaves); left;) {
    const uint32_t number = visit.found.leaves[size_t(std::countr_zero(left))];
    const uint64_t begin = uint64_t(number) * block.bytes();
    const Visit::Leaver leaver = {dram.getHome(begin), map(begin).member};
    uint32_t together = 0;
    for (uint32_t others = left; others; others &= others - 1)
      if (const size_t member = size_t(std::countr_zero(others)); visit.found.leaves[member] == number) {
        visit.leavers[member] = leaver;
        together |= 1u << member;
      }
    left &= ~together;
    visit.leaveTogether = together == TagArray::allOfMost && visit.leaves == TagArray::forAll(whole());
  }
}

/// Writes the evicted line to memory; returns how long the write waits.
double Fabric::giveUp(double arrival, const Visit &visit, uint32_t member) {
  const uint8_t leaves = uint8_t(visit.leaves >> 8 * member);
  if (!leaves)
    return 0;
  const Visit::Leaver &leaver = visit.leavers[member];
  return dram.write(arrival, dram.getHome(leaver.home, member ^ leaver.flip), sectorsOf.bytes(leaves));
}

double Fabric::read(double arrival, Visit &visit, uint32_t member) {
  member ^= visit.flip;
  ++counters.fabricReads;
  if (chip.mallBytes == 0)
    return dram.read(arrival, getHome(visit, member), block.lineBytes());
  const uint32_t slice = getSlice(visit, member);
  reads[slice] = std::min(reads[slice] + 1, readsBehind);
  const double begin = arrival + slices.book(slice, arrival, readService);
  counters.mallBusyClocks += readService;
  counters.mallReadBytes += chip.l2LineBytes;
  if (visit.hits >> member & 1) {
    ++counters.mallHits;
    return visit.found.ready(member).after(begin) + latency;
  }
  ++counters.mallMisses;
  giveUp(begin, visit, member);
  const double ready = dram.read(begin, getHome(visit, member), block.lineBytes());
  visit.found.ready(member).set(ready);
  visit.hits |= 1u << member;
  return ready + latency;
}

double Fabric::bookWrite(uint32_t slice, double arrival, double service) {
  service = writeService(slice, service);
  counters.mallBusyClocks += service;
  return slices.book(slice, arrival, service);
}

double Fabric::write(double arrival, Visit &visit, uint32_t member, uint8_t sectors) {
  member ^= visit.flip;
  ++counters.fabricWrites;
  const uint32_t bytes = sectorsOfL2.bytes(sectors);
  if (chip.mallBytes == 0)
    return dram.write(arrival, getHome(visit, member), bytes);
  double wait = bookWrite(getSlice(visit, member), arrival, bytes * writePerByte);
  counters.mallWriteBytes += bytes;
  if (visit.hits >> member & 1)
    return wait;
  wait += giveUp(arrival + wait, visit, member);
  visit.found.ready(member).set(arrival);
  visit.hits |= 1u << member;
  return wait;
}

double Fabric::atomic(double arrival, Visit &visit, uint32_t member, double service) {
  ++counters.fabricAtomics;
  const double done = read(arrival, visit, member);
  return chip.mallBytes == 0 ? done + service
                             : done + bookWrite(getSlice(visit, member ^ visit.flip), arrival, service) + service;
}

/// Whether two blocks with first lines in these channels have no channel in common.
static bool differ(uint32_t a, uint32_t b) { return a / granules != b / granules; }

bool Fabric::isUniform(const Order &order) const {
  const Visit &visit = *order.visit;
  if (!chip.mallBytes || visit.members != TagArray::allOfMost || (visit.hits && visit.hits != TagArray::allOfMost))
    return false;
  if (visit.hits || !visit.leaves)
    return true;
  if (!visit.leaveTogether)
    return false;
  // The line that is read and the evicted one must be in the same channel, or have no common channel.
  const uint32_t reads = getHome(order).channel, writes = getLeaver(order).channel;
  return reads == writes || differ(reads, writes);
}

bool Fabric::areApart(const Order &a, const Order &b) const {
  if (!differ(getSlice(*a.visit, getMember(a, 0)), getSlice(*b.visit, getMember(b, 0))))
    return false;
  // Includes memory channels, whether they are reached or not.
  auto channels = [&](const Order &order) {
    const uint32_t home = getHome(order).channel;
    return std::array{home, order.visit->leaves ? getLeaver(order).channel : home};
  };
  for (uint32_t ofA : channels(a))
    for (uint32_t ofB : channels(b))
      if (!differ(ofA, ofB))
        return false;
  return true;
}

BlockTimes Fabric::read(const BlockTimes &arrival, const Order &order) {
  Visit &visit = *order.visit;
  const uint32_t slice = getSlice(visit, getMember(order, 0));
  counters.fabricReads += linesOfBlock;
  counters.mallReadBytes += linesOfBlock * chip.l2LineBytes;
  for (uint32_t granule = 0; granule < granules; ++granule)
    reads[slice ^ granule] = std::min(reads[slice ^ granule] + linesOfGranule, readsBehind);
  BlockTimes begin, ready;
  for (uint32_t half = 0; half < linesOfGranule; ++half) {
    begin.of[half] = arrival.of[half] + slices.book(slice, arrival.of[half], readService);
    for (uint32_t granule = 0; granule < granules; ++granule)
      counters.mallBusyClocks += readService;
  }
  if (visit.hits) {
    counters.mallHits += linesOfBlock;
    for (uint32_t line = 0; line < linesOfBlock; ++line)
      ready.set(line, visit.found.ready(getMember(order, line)).after(begin[line]) + latency);
    return ready;
  }
  counters.mallMisses += linesOfBlock;
  const Dram::Home home = getHome(order);
  for (uint32_t half = 0; half < linesOfGranule; ++half) {
    if (visit.leaves)
      giveUp(begin.of[half], order);
    ready.of[half] = dram.read(begin.of[half], home, wholeLine());
  }
  for (uint32_t line = 0; line < linesOfBlock; ++line)
    visit.found.ready(getMember(order, line)).set(ready[line]);
  visit.hits = TagArray::allOfMost;
  for (Quad &times : ready.of)
    times += latency;
  return ready;
}

BlockTimes Fabric::write(const BlockTimes &arrival, const Order &order) {
  Visit &visit = *order.visit;
  const uint32_t slice = getSlice(visit, getMember(order, 0));
  counters.fabricWrites += linesOfBlock;
  counters.mallWriteBytes += linesOfBlock * chip.l2LineBytes;
  const bool leaves = !visit.hits && visit.leaves;
  BlockTimes wait;
  for (uint32_t half = 0; half < linesOfGranule; ++half) {
    Quad service;
    for (uint32_t granule = 0; granule < granules; ++granule) {
      service.set(granule, writeService(slice ^ granule, chip.l2LineBytes * writePerByte));
      counters.mallBusyClocks += service[granule];
    }
    wait.of[half] = slices.book(slice, arrival.of[half], service);
    if (leaves)
      wait.of[half] += giveUp(arrival.of[half] + wait.of[half], order);
  }
  if (visit.hits)
    return wait;
  for (uint32_t line = 0; line < linesOfBlock; ++line)
    visit.found.ready(getMember(order, line)).set(arrival[line]);
  visit.hits = TagArray::allOfMost;
  return wait;
}

/// For one line of each granule.
Quad Fabric::giveUp(const Quad &arrival, const Order &order) {
  const Dram::Home home = getLeaver(order);
  Quad wait;
  for (uint32_t granule = 0; granule < granules; ++granule)
    wait.set(granule, dram.write(arrival[granule], {home.channel ^ granule, home.bank, home.row}, wholeLine()));
  return wait;
}

void Fabric::touch(const PhysicalRange &range) {
  for (uint64_t address = range.begin; address < range.end;) {
    const uint64_t end = std::min(block.begin(address) + block.bytes(), range.end);
    uint64_t sectors = 0;
    Visit visit;
    const uint64_t begins = address;
    for (; address < end; address += block.lineBytes())
      sectors |= uint64_t(whole()) << 8 * block.index(address);
    begin(visit, begins, true, 0, sectors);
    lookUp(visit);
    for (uint32_t left = visit.members & ~visit.hits; left; left &= left - 1)
      visit.found.ready(uint32_t(std::countr_zero(left))).set(0);
  }
}

bool Fabric::holds(uint64_t address) {
  const SetMap::Place place = map(block.begin(address));
  return chip.mallBytes && tags[place.bundle].find(SetMap::getMember(place, block.index(address)),
                                                   block.number(address)) != TagArray::none;
}

} // namespace nstf::emulator::timing
