#include "runtime/emulator/timing/Fabric.h"

#include <bit>

namespace nstf::emulator::timing {

/// Reads of a slice that writes may come behind: more than wait in it at a time.
static constexpr uint32_t readsBehind = 16;

static LineBlock blockOf(const ChipTiming &chip) {
  const LineBlock block = LineBlock::of(chip);
  // Longer ones are blocks by themselves.
  return chip.mallBytes && chip.mallLineBytes > chip.l2LineBytes ? LineBlock(1, chip.mallLineBytes) : block;
}
static uint32_t setsOfSlice(const ChipTiming &chip) {
  return chip.mallBytes ? setsOfChannel(chip.mallBytes, chip.mallSlices, chip.mallWays, blockOf(chip)) : 1;
}

Fabric::Fabric(const ChipTiming &chip, MemoryCounters &counters)
    : chip(chip), counters(counters), block(blockOf(chip)), dram(chip, counters, block), sectorsOf(block.lineBytes()),
      sectorsOfL2(chip.l2LineBytes), map(chip.mallSlices, setsOfSlice(chip), chip.interleaveBytes, block),
      slices(chip.mallSlices),
      tags(chip.mallBytes ? map.bundles() : 1, chip.mallBytes ? chip.mallWays : 1, block.lines()) {}

void Fabric::setClock(double clocksPerNs) {
  dram.setClock(clocksPerNs);
  if (chip.mallBytes == 0)
    return;
  latency = chip.mallLatencyNs * clocksPerNs;
  readService = chip.l2LineBytes * chip.mallSlices * clocksPerNs / chip.mallReadBandwidth;
  writePerByte = chip.mallSlices * clocksPerNs / chip.mallWriteBandwidth;
  // The constants are of long streams: a copy takes what its reads and its writes take, and so much more for each pair.
  const double copyPerByte = chip.mallSlices * clocksPerNs / chip.mallCopyBandwidth;
  turnaround = std::max(0.0, (2 * copyPerByte - writePerByte) * chip.l2LineBytes - readService);
}

void Fabric::lookUp(Visit &visit) {
  visit.home = dram.homeOf(visit.block);
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
    const uint64_t held = TagArray::bytesOf(found.held);
    sectors |= found.sectors & held;
    visit.leaves = found.sectors >> 4 & TagArray::forAll(0xf) & ~held; // Sectors::dirty
    leave(visit);
  } else {
    sectors |= found.sectors;
  }
  bundle.setSectors(visit.members, found, sectors);
}

void Fabric::leave(Visit &visit) {
  for (uint32_t left = TagArray::membersOf(visit.leaves); left;) {
    const uint32_t number = visit.found.leaves[size_t(std::countr_zero(left))];
    const uint64_t begin = uint64_t(number) * block.bytes();
    const Visit::Leaver leaver = {dram.homeOf(begin), map(begin).member};
    for (uint32_t others = left; others; others &= others - 1)
      if (const size_t member = size_t(std::countr_zero(others)); visit.found.leaves[member] == number) {
        visit.leavers[member] = leaver;
        left &= ~(1u << member);
      }
  }
}

/// What leaves for a line is written to memory; how long that waits.
double Fabric::giveUp(double arrival, const Visit &visit, uint32_t member) {
  const uint8_t leaves = uint8_t(visit.leaves >> 8 * member);
  if (!leaves)
    return 0;
  const Visit::Leaver &leaver = visit.leavers[member];
  return dram.write(arrival, dram.homeOf(leaver.home, member ^ leaver.flip), sectorsOf.bytes(leaves));
}

double Fabric::read(double arrival, Visit &visit, uint32_t member) {
  member ^= visit.flip;
  ++counters.fabricReads;
  if (chip.mallBytes == 0)
    return dram.read(arrival, homeOf(visit, member), block.lineBytes());
  Slice &slice = sliceOf(visit, member);
  slice.reads = std::min(slice.reads + 1, readsBehind);
  const double begin = arrival + slice.channel.book(arrival, readService);
  counters.mallBusyClocks += readService;
  counters.mallReadBytes += chip.l2LineBytes;
  if (visit.hits >> member & 1) {
    ++counters.mallHits;
    return visit.found.ready(member).after(begin) + latency;
  }
  ++counters.mallMisses;
  giveUp(begin, visit, member);
  const double ready = dram.read(begin, homeOf(visit, member), block.lineBytes());
  visit.found.ready(member).set(ready);
  visit.hits |= 1u << member;
  return ready + latency;
}

double Fabric::bookWrite(Slice &slice, double arrival, double service) {
  if (slice.reads) {
    --slice.reads;
    service += turnaround;
  }
  counters.mallBusyClocks += service;
  return slice.channel.book(arrival, service);
}

double Fabric::write(double arrival, Visit &visit, uint32_t member, uint8_t sectors) {
  member ^= visit.flip;
  ++counters.fabricWrites;
  const uint32_t bytes = sectorsOfL2.bytes(sectors);
  if (chip.mallBytes == 0)
    return dram.write(arrival, homeOf(visit, member), bytes);
  double wait = bookWrite(sliceOf(visit, member), arrival, bytes * writePerByte);
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
                             : done + bookWrite(sliceOf(visit, member ^ visit.flip), arrival, service) + service;
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
  return chip.mallBytes && tags[place.bundle].find(SetMap::memberOf(place, block.index(address)),
                                                   block.number(address)) != TagArray::none;
}

} // namespace nstf::emulator::timing
