#include "runtime/emulator/timing/L2.h"

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

bool L2::isHeld(const Home &home) {
  return tags[home.set].find(lineOf(home)) != TagArray::none || fabric.holds(fabric.homeOf(home.memory.address));
}

void L2::touch(uint64_t address) {
  const Home home = homeOf(0, address);
  if (chip.mallBytes) {
    fabric.touch(memoryOf(home));
    return;
  }
  if (chip.xcds > 1) // nothing outlives the kernel
    return;
  TagArray::Set set = tags[home.set];
  uint32_t way = set.find(lineOf(home));
  if (way != TagArray::none) {
    set.use(way);
    return;
  }
  double wait = 0;
  way = makeRoom(0, home, wait);
  set.fill(way, lineOf(home));
  set.sectors(way) = sectorsOf.all();
  set.setReady(way, 0);
}

void L2::prefetchMemory(Home &home, Goes goes) {
  TagArray::Set set = tags[home.set];
  uint32_t way = set.find(lineOf(home));
  const bool held = way != TagArray::none;
  if (goes == Goes::OnAlways ||
      (goes == Goes::OnIfMissing && !(held && Sectors::present(set.sectors(way)) == sectorsOf.all()))) {
    home.memory = fabric.homeOf(home.memory.address);
    home.isMemoryKnown = true;
    fabric.prefetch(home.memory);
  }
  if (held)
    return;
  way = set.victim();
  if (Sectors::dirty(set.sectors(way))) {
    home.leaves = fabric.homeOf(set.lineAt(way) << lineShift);
    fabric.prefetch(home.leaves);
  }
}

/// The way for a line that isn't held, with its old contents written to memory; `wait`: until that is taken.
uint32_t L2::makeRoom(double arrival, const Home &home, double &wait) {
  TagArray::Set set = tags[home.set];
  uint32_t way = set.victim();
  uint8_t dirty = Sectors::dirty(set.sectors(way));
  if (dirty) {
    const uint64_t address = set.lineAt(way) << lineShift;
    wait += fabric.write(arrival, address == home.leaves.address ? home.leaves : fabric.homeOf(address), dirty);
    --dirtyLines[home.xcd];
  }
  set.sectors(way) = 0;
  return way;
}

double L2::read(double arrival, const Home &home, uint32_t bytes, bool streaming) {
  notePage(home);
  ++counters.l2Reads;
  counters.l2ReadBytes += bytes;
  double begin = arrival + book(home, arrival, bytes * readPerByte);
  TagArray::Set set = tags[home.set];
  uint32_t way = set.find(lineOf(home));
  bool held = way != TagArray::none;
  if (held && Sectors::present(set.sectors(way)) == sectorsOf.all()) {
    ++counters.l2Hits;
    set.use(way);
    return set.whenReady(way, begin);
  }
  ++counters.l2Misses;
  if (!held) {
    double wait = 0; // for what is written back: the reader doesn't wait for that
    way = makeRoom(begin, home, wait);
    set.fill(way, lineOf(home), streaming);
  }
  set.sectors(way) |= sectorsOf.all();
  double ready = fabric.read(begin, memoryOf(home));
  set.setReady(way, ready);
  return ready;
}

double L2::write(double arrival, const Home &home, uint32_t dwords, uint32_t bytes, bool streaming) {
  notePage(home);
  ++counters.l2Writes;
  counters.l2WriteBytes += bytes;
  double wait = book(home, arrival, bytes * writePerByte);
  TagArray::Set set = tags[home.set];
  uint32_t way = set.find(lineOf(home));
  if (way != TagArray::none) {
    ++counters.l2Hits;
    set.use(way);
  } else {
    ++counters.l2Misses;
    way = makeRoom(arrival + wait, home, wait);
    set.fill(way, lineOf(home), streaming);
    set.setReady(way, arrival);
  }
  uint8_t &state = set.sectors(way);
  if (!Sectors::dirty(state))
    ++dirtyLines[home.xcd];
  state |= Sectors::written(sectorsOf.touched(home.memory.address, dwords));
  return wait;
}

/// Other XCDs find what this one has told memory.
void L2::dropElsewhere(const Home &home) {
  for (uint32_t xcd = 0; xcd < chip.xcds; ++xcd) {
    TagArray::Set set = tags[homeOf(xcd, home.memory.address).set];
    if (uint32_t way = set.find(lineOf(home));
        xcd != home.xcd && way != TagArray::none && !Sectors::dirty(set.sectors(way)))
      set.drop(way);
  }
}

double L2::writeThrough(double arrival, const Home &home, uint32_t dwords, uint32_t bytes) {
  notePage(home);
  ++counters.l2Writes;
  counters.l2WriteBytes += bytes;
  double wait = book(home, arrival, bytes * writePerByte);
  wait += fabric.write(arrival + wait, memoryOf(home), sectorsOf.touched(home.memory.address, dwords));
  dropElsewhere(home);
  return wait + fabric.writeLatency();
}

double L2::atomic(double arrival, const Home &home, uint32_t dwords, uint32_t lanes, bool inMemory) {
  ++counters.l2Atomics;
  // Lanes of one dword take turns, different dwords of the line go together.
  uint32_t different = std::max(1, std::popcount(dwords));
  double service = double(chip.l2AtomicClocks) * std::max(1u, (lanes + different - 1) / different);
  TagArray::Set set = tags[home.set];
  if (inMemory) {
    if (uint32_t way = set.find(lineOf(home)); way != TagArray::none && !Sectors::dirty(set.sectors(way)))
      set.drop(way);
    dropElsewhere(home);
    return fabric.atomic(arrival + book(home, arrival, 1), memoryOf(home), service);
  }
  double ready = read(arrival, home, 0, false);
  double wait = book(home, arrival, service);
  uint8_t &state = set.sectors(set.find(lineOf(home)));
  if (!Sectors::dirty(state))
    ++dirtyLines[home.xcd];
  state |= Sectors::written(sectorsOf.touched(home.memory.address, dwords));
  return std::max(ready, arrival + wait) + service;
}

double L2::writeBack(uint32_t xcd, double arrival) {
  double done = arrival;
  uint32_t sets = setsPerChannel * chip.l2Channels;
  for (uint32_t number = xcd * sets; dirtyLines[xcd] != 0; ++number) {
    TagArray::Set set = tags[number];
    for (uint32_t way = 0; way < chip.l2Ways; ++way) {
      uint8_t dirty = Sectors::dirty(set.sectors(way));
      if (!dirty)
        continue;
      --dirtyLines[xcd];
      double service = sectorsOf.bytes(dirty) * writePerByte;
      uint32_t channel = xcd * chip.l2Channels + number % chip.l2Channels;
      double begin = arrival + channels[channel].book(arrival, service);
      counters.l2BusyClocks += service;
      double wait = fabric.write(begin, fabric.homeOf(set.lineAt(way) << lineShift), dirty);
      done = std::max(done, begin + service + wait + fabric.writeLatency());
      set.sectors(way) = Sectors::present(set.sectors(way));
    }
  }
  return done;
}

void L2::drop(uint32_t xcd) {
  dirtyLines[xcd] = 0;
  tags.clear(xcd * chip.l2Channels * setsPerChannel, chip.l2Channels * setsPerChannel);
}

} // namespace nstf::emulator::timing
