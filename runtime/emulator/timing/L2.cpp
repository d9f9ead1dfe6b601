#include "runtime/emulator/timing/L2.h"

#include "runtime/emulator/timing/ChipTiming.h"
#include "runtime/emulator/timing/WaveTrace.h"

namespace nstf::emulator::timing {

static uint32_t setsOfChannel(const ChipTiming &chip) {
  return uint32_t(std::max<uint64_t>(1, chip.l2Bytes / chip.l2Channels / chip.l2Ways / chip.l2LineBytes));
}

L2::L2(const ChipTiming &chip, MemoryCounters &counters)
    : chip(chip), counters(counters), fabric(chip, counters), sectorsOf(chip.l2LineBytes),
      interleave(chip.l2Channels, chip.interleaveBytes, chip.l2LineBytes), setInChannel(setsOfChannel(chip)),
      setsPerChannel(setsOfChannel(chip)), lineBytes(chip.l2LineBytes), channels(size_t(chip.xcds) * chip.l2Channels),
      dirtyLines(chip.xcds), tags(chip.xcds * chip.l2Channels * setsPerChannel, chip.l2Ways) {}

void L2::setClock(double clocksPerNs) { fabric.setClock(clocksPerNs); }

L2::Home L2::homeOf(uint32_t xcd, uint64_t address) const {
  Interleave::Home home = interleave(address);
  uint32_t set = (xcd * setsPerChannel + setInChannel(home.line)) * chip.l2Channels + home.channel;
  return {xcd * chip.l2Channels + home.channel, set, address / lineBytes};
}

void L2::prefetch(uint32_t xcd, uint64_t address) const {
  tags.prefetch(homeOf(xcd, address).set);
  fabric.prefetch(address);
}

double L2::book(const Home &home, double arrival, double service) {
  counters.l2BusyClocks += service;
  return channels[home.channel].book(arrival, service);
}

/// The way for a line that isn't held, with its old contents written to memory; `wait`: until that is taken.
uint32_t L2::makeRoom(double arrival, const Home &home, double &wait) {
  uint32_t way = tags.victim(home.set);
  uint8_t dirty = Sectors::dirty(tags.sectors(home.set, way));
  if (dirty) {
    wait += fabric.write(arrival, tags.lineAt(home.set, way) * lineBytes, dirty);
    --dirtyLines[home.channel / chip.l2Channels];
  }
  tags.sectors(home.set, way) = 0;
  return way;
}

double L2::read(uint32_t xcd, double arrival, uint64_t address, uint32_t bytes, bool streaming) {
  ++counters.l2Reads;
  counters.l2ReadBytes += bytes;
  Home home = homeOf(xcd, address);
  double begin = arrival + book(home, arrival, bytes / chip.l2ReadBytesPerClock);
  uint32_t way = tags.find(home.set, home.line);
  bool held = way != TagArray::none;
  if (held && Sectors::present(tags.sectors(home.set, way)) == sectorsOf.all()) {
    ++counters.l2Hits;
    tags.use(home.set, way);
    return tags.whenReady(home.set, way, begin);
  }
  ++counters.l2Misses;
  if (!held) {
    double wait = 0; // for what is written back: the reader doesn't wait for that
    way = makeRoom(begin, home, wait);
    tags.fill(home.set, way, home.line, streaming);
  }
  tags.sectors(home.set, way) |= sectorsOf.all();
  double ready = fabric.read(begin, address);
  tags.setReady(home.set, way, ready);
  return ready;
}

double L2::write(uint32_t xcd, double arrival, uint64_t address, uint32_t dwords, bool streaming) {
  ++counters.l2Writes;
  uint32_t bytes = uint32_t(std::popcount(dwords)) * 4;
  counters.l2WriteBytes += bytes;
  Home home = homeOf(xcd, address);
  double wait = book(home, arrival, bytes / chip.l2WriteBytesPerClock);
  uint32_t way = tags.find(home.set, home.line);
  if (way != TagArray::none) {
    ++counters.l2Hits;
    tags.use(home.set, way);
  } else {
    ++counters.l2Misses;
    way = makeRoom(arrival + wait, home, wait);
    tags.fill(home.set, way, home.line, streaming);
    tags.setReady(home.set, way, arrival);
  }
  uint8_t &state = tags.sectors(home.set, way);
  if (!Sectors::dirty(state))
    ++dirtyLines[xcd];
  state |= Sectors::written(sectorsOf.touched(address, dwords));
  return wait;
}

/// Other XCDs find what this one has told memory.
void L2::dropElsewhere(uint32_t xcd, uint64_t address) {
  for (uint32_t other = 0; other < chip.xcds; ++other) {
    Home home = homeOf(other, address);
    if (uint32_t way = tags.find(home.set, home.line);
        other != xcd && way != TagArray::none && !Sectors::dirty(tags.sectors(home.set, way)))
      tags.drop(home.set, way);
  }
}

double L2::writeThrough(uint32_t xcd, double arrival, uint64_t address, uint32_t dwords) {
  ++counters.l2Writes;
  uint32_t bytes = uint32_t(std::popcount(dwords)) * 4;
  counters.l2WriteBytes += bytes;
  double wait = book(homeOf(xcd, address), arrival, bytes / chip.l2WriteBytesPerClock);
  wait += fabric.write(arrival + wait, address, sectorsOf.touched(address, dwords));
  dropElsewhere(xcd, address);
  return wait + fabric.writeLatency();
}

double L2::atomic(uint32_t xcd, double arrival, const LineAccess &access, bool inMemory) {
  ++counters.l2Atomics;
  // Lanes of one dword take turns, different dwords of the line go together.
  uint32_t dwords = std::max(1, std::popcount(access.dwords));
  double service = double(chip.l2AtomicClocks) * std::max(1u, (access.lanes + dwords - 1) / dwords);
  Home home = homeOf(xcd, access.address);
  if (inMemory) {
    if (uint32_t way = tags.find(home.set, home.line);
        way != TagArray::none && !Sectors::dirty(tags.sectors(home.set, way)))
      tags.drop(home.set, way);
    dropElsewhere(xcd, access.address);
    return fabric.atomic(arrival + book(home, arrival, 1), access.address, service);
  }
  double ready = read(xcd, arrival, access.address, 0, false);
  double wait = book(home, arrival, service);
  uint8_t &state = tags.sectors(home.set, tags.find(home.set, home.line));
  if (!Sectors::dirty(state))
    ++dirtyLines[xcd];
  state |= Sectors::written(sectorsOf.touched(access.address, access.dwords));
  return std::max(ready, arrival + wait) + service;
}

double L2::writeBack(uint32_t xcd, double arrival) {
  double done = arrival;
  uint32_t sets = setsPerChannel * chip.l2Channels;
  for (uint32_t set = xcd * sets; dirtyLines[xcd] != 0; ++set)
    for (uint32_t way = 0; way < chip.l2Ways; ++way) {
      uint8_t dirty = Sectors::dirty(tags.sectors(set, way));
      if (!dirty)
        continue;
      --dirtyLines[xcd];
      double service = sectorsOf.bytes(dirty) / chip.l2WriteBytesPerClock;
      uint32_t channel = xcd * chip.l2Channels + set % chip.l2Channels;
      double begin = arrival + channels[channel].book(arrival, service);
      counters.l2BusyClocks += service;
      double wait = fabric.write(begin, tags.lineAt(set, way) * lineBytes, dirty);
      done = std::max(done, begin + service + wait + fabric.writeLatency());
      tags.sectors(set, way) = Sectors::present(tags.sectors(set, way));
    }
  return done;
}

void L2::drop(uint32_t xcd) {
  dirtyLines[xcd] = 0;
  tags.dropSets(xcd * chip.l2Channels * setsPerChannel, chip.l2Channels * setsPerChannel);
}

} // namespace nstf::emulator::timing
