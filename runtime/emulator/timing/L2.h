// The L2 caches, one an XCD.
#pragma once

#include "runtime/emulator/timing/L2Tags.h"

namespace nstf::emulator::timing {

/// Channels with a cache of their own each; write-back. What is written needs no fetch, what is read is fetched as a
/// whole line. A line that is under way has a time at which it will be there, so that a second reader waits for the
/// same.
///
/// Times are when a load that hits would have been served; the reader adds its own latency.
class L2 {
public:
  L2(const ChipTiming &chip, MemoryCounters &counters);
  void setClock(double clocksPerNs);

  /// What it holds. Lines are looked up there first; then each of them is read or written once for each time it was
  /// added, in that order.
  L2Tags &tags() { return lines; }
  const L2Tags &tags() const { return lines; }

  /// When what an L1 (or scalar, or instruction cache) asks for at `arrival` is at hand: `bytes` within a line.
  double read(double arrival, L2Line line, uint32_t bytes);
  /// The same of a line by itself.
  double read(uint32_t xcd, double arrival, uint64_t address, uint32_t bytes);
  /// How long a write of `bytes` waits until it is taken.
  double write(double arrival, L2Line line, uint32_t bytes);
  /// The same of a write that memory has to have before it is acknowledged: the time beyond an L2's acknowledgement.
  double writeThrough(double arrival, L2Line line, uint64_t address, uint32_t dwords, uint32_t bytes);
  /// When an atomic is done, of so many lanes on these dwords, here or in memory, where other XCDs see it.
  double atomic(double arrival, L2Line line, uint32_t dwords, uint32_t lanes, bool inMemory);
  // The same of all lines of a block, with all of their bytes
  /// Whether blocks are such as BlockTimes are of.
  bool areBlocks() const { return ofGranules; }
  /// Whether they can be read, or written, at once: nothing is as if each were so by itself, after the one before.
  bool isUniform(const L2Visit &visit, bool isRead) const;
  BlockTimes read(const BlockTimes &arrival, L2Visit &visit);
  BlockTimes write(const BlockTimes &arrival, L2Visit &visit);

  /// Writes an XCD's changed lines to memory; when that is done, or would be of `times` as many.
  double writeBack(uint32_t xcd, double arrival, double times = 1);

  /// Puts lines where the next kernel finds them, at no time: in the MALL, and of each block in the L2s that `holders`
  /// has for it.
  void touch(const PhysicalRange &range, std::span<const SnoopFilter::Mask> holders);

private:
  static bool isHit(L2Line line) { return line.visit->hits >> line.member & 1; }
  double giveUp(double arrival, L2Line line);
  /// Line 0 of a block as what is behind the L2 knows it.
  static Fabric::Order orderOf(const L2Visit &visit, Fabric::Visit *behind) { return {behind, visit.place.member}; }
  BlockTimes book(const L2Visit &visit, const BlockTimes &arrival, double service);
  void touchBlock(uint32_t xcd, const PhysicalRange &range);
  double book(uint32_t channel, double arrival, double service) {
    counters.l2BusyClocks += service;
    return channels.book(channel, arrival, service);
  }

  const ChipTiming &chip;
  MemoryCounters &counters;
  Fabric fabric;
  L2Tags lines;
  Sectors sectorsOf;
  Channels channels;
  const bool ofGranules;
  double readPerByte, writePerByte; ///< clocks
};

} // namespace nstf::emulator::timing
