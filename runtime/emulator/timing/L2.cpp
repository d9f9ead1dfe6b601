#include "runtime/emulator/timing/L2.h"

#include "runtime/emulator/timing/ChipTiming.h"

#include <bit>

namespace nstf::emulator::timing {

static uint32_t setsOfChannel(const ChipTiming &chip) {
  return uint32_t(std::max<uint64_t>(1, chip.l2Bytes / chip.l2Channels / chip.l2Ways / chip.l2LineBytes));
}

L2::L2(const ChipTiming &chip, MemoryCounters &counters)
    : chip(chip), counters(counters), fabric(chip, counters), sectorsOf(chip.l2LineBytes),
      interleave(chip.l2Channels, chip.interleaveBytes, chip.l2LineBytes), setInChannel(setsOfChannel(chip)),
      setsPerChannel(setsOfChannel(chip)), lineShift(std::countr_zero(chip.l2LineBytes)),
      channels(size_t(chip.xcds) * chip.l2Channels), dirtyLines(chip.xcds),
      tags(chip.xcds * chip.l2Channels * setsPerChannel, chip.l2Ways), readPerByte(1 / chip.l2ReadBytesPerClock),
      writePerByte(1 / chip.l2WriteBytesPerClock) {}

void L2::setClock(double clocksPerNs) { fabric.setClock(clocksPerNs); }

L2::Home L2::homeOf(uint32_t xcd, uint64_t address, bool memory) const {
  Interleave::Home home = interleave(address);
  uint32_t set = (xcd * setsPerChannel + setInChannel(home.line)) * chip.l2Channels + home.channel;
  tags.prefetch(set);
  return {xcd, xcd * chip.l2Channels + home.channel, set,
          memory ? fabric.homeOf(address) : Fabric::Home{0, 0, address}};
}

bool L2::isHeld(const Home &home) const {
  return tags.find(home.set, lineOf(home)) != TagArray::none || fabric.holds(fabric.homeOf(home.memory.address));
}

void L2::touch(uint64_t address) {
  const Home home = homeOf(0, address);
  if (chip.mallBytes) {
    fabric.touch(home.memory);
    return;
  }
  if (chip.xcds > 1) // nothing outlives the kernel
    return;
  uint32_t way = tags.find(home.set, lineOf(home));
  if (way != TagArray::none) {
    tags.use(home.set, way);
    return;
  }
  double wait = 0;
  way = makeRoom(0, home, wait);
  tags.fill(home.set, way, lineOf(home));
  tags.sectors(home.set, way) = sectorsOf.all();
  tags.setReady(home.set, way, 0);
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
    wait += fabric.write(arrival, fabric.homeOf(tags.lineAt(home.set, way) << lineShift), dirty);
    --dirtyLines[home.xcd];
  }
  tags.sectors(home.set, way) = 0;
  return way;
}

double L2::read(double arrival, const Home &home, uint32_t bytes, bool streaming) {
  notePage(home);
  ++counters.l2Reads;
  counters.l2ReadBytes += bytes;
  double begin = arrival + book(home, arrival, bytes * readPerByte);
  uint32_t way = tags.find(home.set, lineOf(home));
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
    tags.fill(home.set, way, lineOf(home), streaming);
  }
  tags.sectors(home.set, way) |= sectorsOf.all();
  double ready = fabric.read(begin, home.memory);
  tags.setReady(home.set, way, ready);
  return ready;
}

double L2::write(double arrival, const Home &home, uint32_t dwords, uint32_t bytes, bool streaming) {
  notePage(home);
  ++counters.l2Writes;
  counters.l2WriteBytes += bytes;
  double wait = book(home, arrival, bytes * writePerByte);
  uint32_t way = tags.find(home.set, lineOf(home));
  if (way != TagArray::none) {
    ++counters.l2Hits;
    tags.use(home.set, way);
  } else {
    ++counters.l2Misses;
    way = makeRoom(arrival + wait, home, wait);
    tags.fill(home.set, way, lineOf(home), streaming);
    tags.setReady(home.set, way, arrival);
  }
  uint8_t &state = tags.sectors(home.set, way);
  if (!Sectors::dirty(state))
    ++dirtyLines[home.xcd];
  state |= Sectors::written(sectorsOf.touched(home.memory.address, dwords));
  return wait;
}

/// Other XCDs find what this one has told memory.
void L2::dropElsewhere(const Home &home) {
  for (uint32_t xcd = 0; xcd < chip.xcds; ++xcd) {
    Home other = homeOf(xcd, home.memory.address, false);
    if (uint32_t way = tags.find(other.set, lineOf(other));
        xcd != home.xcd && way != TagArray::none && !Sectors::dirty(tags.sectors(other.set, way)))
      tags.drop(other.set, way);
  }
}

double L2::writeThrough(double arrival, const Home &home, uint32_t dwords, uint32_t bytes) {
  notePage(home);
  ++counters.l2Writes;
  counters.l2WriteBytes += bytes;
  double wait = book(home, arrival, bytes * writePerByte);
  wait += fabric.write(arrival + wait, home.memory, sectorsOf.touched(home.memory.address, dwords));
  dropElsewhere(home);
  return wait + fabric.writeLatency();
}

double L2::atomic(double arrival, const Home &home, uint32_t dwords, uint32_t lanes, bool inMemory) {
  ++counters.l2Atomics;
  // Lanes of one dword take turns, different dwords of the line go together.
  uint32_t different = std::max(1, std::popcount(dwords));
  double service = double(chip.l2AtomicClocks) * std::max(1u, (lanes + different - 1) / different);
  if (inMemory) {
    if (uint32_t way = tags.find(home.set, lineOf(home));
        way != TagArray::none && !Sectors::dirty(tags.sectors(home.set, way)))
      tags.drop(home.set, way);
    dropElsewhere(home);
    return fabric.atomic(arrival + book(home, arrival, 1), home.memory, service);
  }
  double ready = read(arrival, home, 0, false);
  double wait = book(home, arrival, service);
  uint8_t &state = tags.sectors(home.set, tags.find(home.set, lineOf(home)));
  if (!Sectors::dirty(state))
    ++dirtyLines[home.xcd];
  state |= Sectors::written(sectorsOf.touched(home.memory.address, dwords));
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
      double service = sectorsOf.bytes(dirty) * writePerByte;
      uint32_t channel = xcd * chip.l2Channels + set % chip.l2Channels;
      double begin = arrival + channels[channel].book(arrival, service);
      counters.l2BusyClocks += service;
      double wait = fabric.write(begin, fabric.homeOf(tags.lineAt(set, way) << lineShift), dirty);
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
