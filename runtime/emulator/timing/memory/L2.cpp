#include "runtime/emulator/timing/memory/L2.h"

#include <bit>

namespace nstf::emulator::timing {

L2::L2(const ChipTiming &chip, MemoryCounters &counters)
    : chip(chip), counters(counters), fabric(chip, counters), lines(chip, fabric), sectorsOf(chip.l2LineBytes),
      channels(size_t(chip.xcds) * chip.l2Channels),
      ofGranules(lines.lineBlock().lines() == linesOfBlock &&
                 chip.interleaveBytes == linesOfGranule * chip.l2LineBytes),
      readPerByte(1 / chip.l2ReadBytesPerClock), writePerByte(1 / chip.l2WriteBytesPerClock) {}

void L2::setClock(double clocksPerNs) { fabric.setClock(clocksPerNs); }

void L2::touch(const PhysicalRange &range, std::span<const SnoopFilter::Mask> holders) {
  if (chip.mallBytes)
    fabric.touch(range);
  const LineBlock &block = lines.lineBlock();
  size_t number = 0;
  for (uint64_t address = range.begin; address < range.end; ++number) {
    const uint64_t end = std::min(range.end, block.begin(address) + block.bytes());
    for (uint32_t xcd = 0; xcd < chip.xcds; ++xcd)
      if (holders[number] & SnoopFilter::getMask(xcd))
        touchBlock(xcd, {address, end});
    address = end;
  }
}

void L2::touchBlock(uint32_t xcd, const PhysicalRange &range) {
  std::array<L2Line, TagArray::maxMembers> touched;
  size_t count = 0;
  lines.begin(xcd, L2Access::Touch, false, touched.size());
  for (uint64_t address = range.begin; address < range.end; address += chip.l2LineBytes)
    touched[count++] = lines.add(address, ~0u);
  lines.lookUp();
  for (L2Line line : std::span(touched).first(count))
    if (!isHit(line)) {
      giveUp(0, line);
      line.visit->found.ready(line.member).set(0);
    }
}

/// Writes the evicted line to memory; returns how long the write waits.
double L2::giveUp(double arrival, L2Line line) {
  const uint8_t sectors = uint8_t(line.visit->leaves >> 8 * line.member);
  if (!sectors)
    return 0;
  return fabric.write(arrival, *line.visit->leaving[line.member], line.member, sectors);
}

double L2::read(double arrival, L2Line line, uint32_t bytes) {
  ++counters.l2Reads;
  counters.l2ReadBytes += bytes;
  const double begin = arrival + book(lines.getChannel(line), arrival, bytes * readPerByte);
  ReadyTime &time = line.visit->found.ready(line.member);
  if (isHit(line)) {
    ++counters.l2Hits;
    return time.after(begin);
  }
  ++counters.l2Misses;
  giveUp(begin, line); // the reader does not wait for it
  const double ready = fabric.read(begin, *line.visit->memory, line.member);
  time.set(ready);
  line.visit->hits |= 1u << line.member;
  return ready;
}

double L2::read(uint32_t xcd, double arrival, uint64_t address, uint32_t bytes) {
  lines.begin(xcd, L2Access::Read, false, 1);
  const L2Line line = lines.add(address, 1);
  lines.lookUp();
  return read(arrival, line, bytes);
}

double L2::write(double arrival, L2Line line, uint32_t bytes) {
  ++counters.l2Writes;
  counters.l2WriteBytes += bytes;
  double wait = book(lines.getChannel(line), arrival, std::max(bytes, chip.l2WriteLeastBytes) * writePerByte);
  if (isHit(line)) {
    ++counters.l2Hits;
    return wait;
  }
  ++counters.l2Misses;
  wait += giveUp(arrival + wait, line);
  line.visit->found.ready(line.member).set(arrival);
  line.visit->hits |= 1u << line.member;
  return wait;
}

double L2::writeThrough(double arrival, L2Line line, uint64_t address, uint32_t dwords, uint32_t bytes) {
  ++counters.l2Writes;
  counters.l2WriteBytes += bytes;
  double wait = book(lines.getChannel(line), arrival, std::max(bytes, chip.l2WriteLeastBytes) * writePerByte);
  wait += fabric.write(arrival + wait, *line.visit->memory, line.member, sectorsOf.touched(address, dwords));
  return wait + fabric.writeLatency();
}

double L2::atomic(double arrival, L2Line line, uint32_t dwords, uint32_t lanes, bool inMemory) {
  ++counters.l2Atomics;
  // Lanes with the same dword are served one after the other; different dwords of the line are served together.
  const uint32_t different = std::max(1, std::popcount(dwords));
  const double service = double(chip.l2AtomicClocks) * std::max(1u, (lanes + different - 1) / different);
  if (inMemory)
    return fabric.atomic(arrival + book(lines.getChannel(line), arrival, 1), *line.visit->memory, line.member, service);
  const double ready = read(arrival, line, 0);
  const double wait = book(lines.getChannel(line), arrival, service);
  return std::max(ready, arrival + wait) + service;
}

bool L2::isUniform(const L2Visit &visit, bool isRead) const {
  if (!ofGranules || visit.members != TagArray::allOfMost || visit.again ||
      (visit.hits && visit.hits != TagArray::allOfMost))
    return false;
  if (visit.hits)
    return true;
  const Fabric::Order leaving = getOrder(visit, visit.leaving[0]), fetched = getOrder(visit, visit.memory);
  if (visit.leaves && !(visit.leaveTogether && fabric.isUniform(leaving)))
    return false;
  return !isRead || (fabric.isUniform(fetched) && !(visit.leaves && !fabric.areApart(leaving, fetched)));
}

BlockTimes L2::book(const L2Visit &visit, const BlockTimes &arrival, double service) {
  const uint32_t channel = lines.getFirstChannel(visit);
  BlockTimes wait;
  for (uint32_t half = 0; half < linesOfGranule; ++half) {
    for (uint32_t granule = 0; granule < granules; ++granule)
      counters.l2BusyClocks += service;
    wait.of[half] = channels.book(channel, arrival.of[half], service);
  }
  return wait;
}

BlockTimes L2::read(const BlockTimes &arrival, L2Visit &visit) {
  counters.l2Reads += linesOfBlock;
  counters.l2ReadBytes += linesOfBlock * chip.l2LineBytes;
  const BlockTimes begin = arrival + book(visit, arrival, chip.l2LineBytes * readPerByte);
  BlockTimes ready;
  if (visit.hits) {
    counters.l2Hits += linesOfBlock;
    for (uint32_t line = 0; line < linesOfBlock; ++line)
      ready.set(line, visit.found.ready(visit.place.member ^ line).after(begin[line]));
    return ready;
  }
  counters.l2Misses += linesOfBlock;
  if (visit.leaves)
    fabric.write(begin, getOrder(visit, visit.leaving[0]));
  ready = fabric.read(begin, getOrder(visit, visit.memory));
  for (uint32_t line = 0; line < linesOfBlock; ++line)
    visit.found.ready(visit.place.member ^ line).set(ready[line]);
  visit.hits = TagArray::allOfMost;
  return ready;
}

BlockTimes L2::write(const BlockTimes &arrival, L2Visit &visit) {
  counters.l2Writes += linesOfBlock;
  counters.l2WriteBytes += linesOfBlock * chip.l2LineBytes;
  BlockTimes wait = book(visit, arrival, chip.l2LineBytes * writePerByte);
  if (visit.hits) {
    counters.l2Hits += linesOfBlock;
    return wait;
  }
  counters.l2Misses += linesOfBlock;
  if (visit.leaves)
    wait = wait + fabric.write(arrival + wait, getOrder(visit, visit.leaving[0]));
  for (uint32_t line = 0; line < linesOfBlock; ++line)
    visit.found.ready(visit.place.member ^ line).set(arrival[line]);
  visit.hits = TagArray::allOfMost;
  return wait;
}

double L2::writeBack(uint32_t xcd, double arrival, double times) {
  if (!lines.changedLines(xcd))
    return arrival;
  double taken = arrival;
  for (uint32_t set = 0; lines.changedLines(xcd); set += lines.setsTogether()) {
    uint32_t place = 0;
    for (const L2Tags::Changed &line : lines.takeChanged(xcd, set)) {
      const uint32_t channel = xcd * chip.l2Channels + place++ / chip.l2Ways % chip.l2Channels;
      if (!line.sectors)
        continue;
      const double service = sectorsOf.bytes(line.sectors) * writePerByte;
      const double begin = arrival + book(channel, arrival, service);
      const double wait = fabric.write(begin, *line.memory, line.member, line.sectors);
      taken = std::max(taken, begin + service + wait);
    }
  }
  return taken + (times - 1) * (taken - arrival) + fabric.writeLatency();
}

} // namespace nstf::emulator::timing
