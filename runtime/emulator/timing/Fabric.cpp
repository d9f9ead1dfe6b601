#include "runtime/emulator/timing/Fabric.h"

#include <bit>

namespace nstf::emulator::timing {

/// Reads of a slice that writes may come behind: more than wait in it at a time.
static constexpr uint32_t readsBehind = 16;

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
  // The constants are of long streams: a copy takes what its reads and its writes take, and so much more for each pair.
  const double copyPerByte = chip.mallSlices * clocksPerNs / chip.mallCopyBandwidth;
  turnaround = std::max(0.0, (2 * copyPerByte - writePerByte) * chip.l2LineBytes - readService);
}

double Fabric::evict(double arrival, TagArray::Set set, uint32_t way) {
  uint8_t dirty = Sectors::dirty(set.sectors(way));
  return dirty ? dram.write(arrival, set.lineAt(way) * lineBytes, sectorsOf.bytes(dirty)) : 0;
}

double Fabric::read(double arrival, const Home &home) {
  ++counters.fabricReads;
  if (chip.mallBytes == 0)
    return dram.read(arrival, home.address, lineBytes);
  Slice &slice = slices[home.slice];
  slice.reads = std::min(slice.reads + 1, readsBehind);
  double begin = arrival + slice.channel.book(arrival, readService);
  counters.mallBusyClocks += readService;
  counters.mallReadBytes += chip.l2LineBytes;
  TagArray::Set set = tags[home.set];
  uint32_t way = set.find(lineOf(home));
  bool held = way != TagArray::none;
  if (held && Sectors::present(set.sectors(way)) == sectorsOf.all()) {
    ++counters.mallHits;
    set.use(way);
    return set.whenReady(way, begin) + latency;
  }
  ++counters.mallMisses;
  if (!held) {
    way = set.victim();
    evict(begin, set, way);
    set.sectors(way) = 0;
    set.fill(way, lineOf(home));
  }
  set.sectors(way) |= sectorsOf.all();
  double ready = dram.read(begin, home.address, lineBytes);
  set.setReady(way, ready);
  return ready + latency;
}

double Fabric::bookWrite(uint32_t number, double arrival, double service) {
  Slice &slice = slices[number];
  if (slice.reads) {
    --slice.reads;
    service += turnaround;
  }
  counters.mallBusyClocks += service;
  return slice.channel.book(arrival, service);
}

double Fabric::write(double arrival, const Home &home, uint8_t sectors) {
  ++counters.fabricWrites;
  uint32_t bytes = sectorsOfL2.bytes(sectors);
  if (chip.mallBytes == 0)
    return dram.write(arrival, home.address, bytes);
  double wait = bookWrite(home.slice, arrival, bytes * writePerByte);
  counters.mallWriteBytes += bytes;
  TagArray::Set set = tags[home.set];
  uint32_t way = set.find(lineOf(home));
  if (way != TagArray::none) {
    set.use(way);
  } else {
    way = set.victim();
    wait += evict(arrival + wait, set, way);
    set.sectors(way) = 0;
    set.setReady(way, arrival);
    set.fill(way, lineOf(home));
  }
  if (lineBytes > chip.l2LineBytes)
    sectors = sectorsOf.touched(home.address & ~uint64_t(chip.l2LineBytes - 1), ~0u);
  set.sectors(way) |= Sectors::written(sectors);
  return wait;
}

bool Fabric::holds(const Home &home) { return chip.mallBytes && tags[home.set].find(lineOf(home)) != TagArray::none; }

void Fabric::touch(const Home &home) {
  TagArray::Set set = tags[home.set];
  uint32_t way = set.find(lineOf(home));
  if (way != TagArray::none) {
    set.use(way);
    return;
  }
  way = set.victim();
  set.fill(way, lineOf(home));
  set.sectors(way) = sectorsOf.all();
  set.setReady(way, 0);
}

double Fabric::atomic(double arrival, const Home &home, double service) {
  ++counters.fabricAtomics;
  double done = read(arrival, home);
  if (chip.mallBytes == 0)
    return done + service;
  double wait = bookWrite(home.slice, arrival, service);
  TagArray::Set set = tags[home.set];
  set.sectors(set.find(lineOf(home))) |= Sectors::written(sectorsOf.touched(home.address, 1));
  return done + wait + service;
}

} // namespace nstf::emulator::timing
