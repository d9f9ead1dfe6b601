#include "runtime/emulator/timing/Fabric.h"

#include "runtime/emulator/timing/ChipTiming.h"

#include <bit>

namespace nstf::emulator::timing {

static uint32_t lineBytesOf(const ChipTiming &chip) {
  return chip.mallBytes ? std::max(chip.mallLineBytes, chip.l2LineBytes) : chip.l2LineBytes;
}
static uint32_t setsOfSlice(const ChipTiming &chip) {
  return uint32_t(std::max<uint64_t>(1, chip.mallBytes / chip.mallSlices / chip.mallWays / lineBytesOf(chip)));
}

Fabric::Fabric(const ChipTiming &chip, MemoryCounters &counters)
    : chip(chip), counters(counters), dram(chip, counters), sectorsOf(lineBytesOf(chip)), sectorsOfL2(chip.l2LineBytes),
      interleave(chip.mallSlices, chip.interleaveBytes, lineBytesOf(chip)), setInSlice(setsOfSlice(chip)),
      setsPerSlice(setsOfSlice(chip)), lineBytes(lineBytesOf(chip)), lineShift(std::countr_zero(lineBytes)),
      slices(chip.mallSlices),
      tags(chip.mallBytes ? chip.mallSlices * setsPerSlice : 1, chip.mallBytes ? chip.mallWays : 1) {}

void Fabric::setClock(double clocksPerNs) {
  dram.setClock(clocksPerNs);
  if (chip.mallBytes == 0)
    return;
  latency = chip.mallLatencyNs * clocksPerNs;
  readService = chip.l2LineBytes * chip.mallSlices * clocksPerNs / chip.mallReadBandwidth;
  writePerByte = chip.mallSlices * clocksPerNs / chip.mallWriteBandwidth;
}

Fabric::Home Fabric::homeOf(uint64_t address) const {
  if (chip.mallBytes == 0)
    return {0, 0, address};
  Interleave::Home home = interleave(address);
  uint32_t set = setInSlice(home.line) * chip.mallSlices + home.channel;
  tags.prefetch(set);
  return {home.channel, set, address};
}

double Fabric::evict(double arrival, uint32_t set, uint32_t way) {
  uint8_t dirty = Sectors::dirty(tags.sectors(set, way));
  return dirty ? dram.write(arrival, tags.lineAt(set, way) * lineBytes, sectorsOf.bytes(dirty)) : 0;
}

double Fabric::read(double arrival, const Home &home) {
  ++counters.fabricReads;
  if (chip.mallBytes == 0)
    return dram.read(arrival, home.address, lineBytes);
  double begin = arrival + slices[home.slice].book(arrival, readService);
  counters.mallBusyClocks += readService;
  counters.mallReadBytes += chip.l2LineBytes;
  uint32_t way = tags.find(home.set, lineOf(home));
  bool held = way != TagArray::none;
  if (held && Sectors::present(tags.sectors(home.set, way)) == sectorsOf.all()) {
    ++counters.mallHits;
    tags.use(home.set, way);
    return tags.whenReady(home.set, way, begin) + latency;
  }
  ++counters.mallMisses;
  if (!held) {
    way = tags.victim(home.set);
    evict(begin, home.set, way);
    tags.sectors(home.set, way) = 0;
    tags.fill(home.set, way, lineOf(home));
  }
  tags.sectors(home.set, way) |= sectorsOf.all();
  double ready = dram.read(begin, home.address, lineBytes);
  tags.setReady(home.set, way, ready);
  return ready + latency;
}

double Fabric::write(double arrival, const Home &home, uint8_t sectors) {
  ++counters.fabricWrites;
  uint32_t bytes = sectorsOfL2.bytes(sectors);
  if (chip.mallBytes == 0)
    return dram.write(arrival, home.address, bytes);
  double service = bytes * writePerByte;
  double wait = slices[home.slice].book(arrival, service);
  counters.mallBusyClocks += service;
  counters.mallWriteBytes += bytes;
  uint32_t way = tags.find(home.set, lineOf(home));
  if (way != TagArray::none) {
    tags.use(home.set, way);
  } else {
    way = tags.victim(home.set);
    wait += evict(arrival + wait, home.set, way);
    tags.sectors(home.set, way) = 0;
    tags.setReady(home.set, way, arrival);
    tags.fill(home.set, way, lineOf(home));
  }
  if (lineBytes > chip.l2LineBytes)
    sectors = sectorsOf.touched(home.address & ~uint64_t(chip.l2LineBytes - 1), ~0u);
  tags.sectors(home.set, way) |= Sectors::written(sectors);
  return wait;
}

bool Fabric::holds(const Home &home) const {
  return chip.mallBytes && tags.find(home.set, lineOf(home)) != TagArray::none;
}

void Fabric::touch(const Home &home) {
  uint32_t way = tags.find(home.set, lineOf(home));
  if (way != TagArray::none) {
    tags.use(home.set, way);
    return;
  }
  way = tags.victim(home.set);
  tags.fill(home.set, way, lineOf(home));
  tags.sectors(home.set, way) = sectorsOf.all();
  tags.setReady(home.set, way, 0);
}

double Fabric::atomic(double arrival, const Home &home, double service) {
  ++counters.fabricAtomics;
  double done = read(arrival, home);
  if (chip.mallBytes == 0)
    return done + service;
  counters.mallBusyClocks += service;
  double wait = slices[home.slice].book(arrival, service);
  tags.sectors(home.set, tags.find(home.set, lineOf(home))) |= Sectors::written(sectorsOf.touched(home.address, 1));
  return done + wait + service;
}

} // namespace nstf::emulator::timing
