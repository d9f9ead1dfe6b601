// The L2 caches, one for each XCD.
#pragma once

#include "runtime/emulator/timing/memory/L2Tags.h"

namespace nstf::emulator::timing {

/// Write-back caches with several channels; each channel has its own part of the cache. A written line is not fetched;
/// a read fetches the whole line. A line in flight has a time at which it arrives, so that a second reader waits for
/// the same fetch.
///
/// Times are when a load that hits would have been served; the reader adds its own latency.
class L2 {
public:
  L2(const ChipTiming &chip, MemoryCounters &counters);
  void setClock(double clocksPerNs);

  /// The contents. Lines are first looked up in them; then each line is read or written once for each time it was
  /// added, in that order.
  L2Tags &tags() { return lines; }
  const L2Tags &tags() const { return lines; }

  /// When the `bytes` of a line that an L1 (or a scalar or instruction cache) requests at `arrival` are available.
  double read(double arrival, L2Line line, uint32_t bytes);
  /// The same for a single line.
  double read(uint32_t xcd, double arrival, uint64_t address, uint32_t bytes);
  /// How long a write of `bytes` waits until it is accepted.
  double write(double arrival, L2Line line, uint32_t bytes);
  /// The same for a write that memory must accept before it is acknowledged: the time in addition to an L2's
  /// acknowledgement.
  double writeThrough(double arrival, L2Line line, uint64_t address, uint32_t dwords, uint32_t bytes);
  /// When an atomic of `lanes` lanes on these dwords is done, in the L2 or, with `inMemory`, in memory, where other
  /// XCDs see it.
  double atomic(double arrival, L2Line line, uint32_t dwords, uint32_t lanes, bool inMemory);
  // The same for all lines of a block, with all of their bytes
  /// Whether the chip's blocks have the shape that BlockTimes requires.
  bool areBlocks() const { return ofGranules; }
  /// Whether a block can be read, or written, at once with the same result as line by line.
  bool isUniform(const L2Visit &visit, bool isRead) const;
  BlockTimes read(const BlockTimes &arrival, L2Visit &visit);
  BlockTimes write(const BlockTimes &arrival, L2Visit &visit);

  /// Writes an XCD's changed lines to memory. Returns when this is done, or would be with `times` as many lines.
  double writeBack(uint32_t xcd, double arrival, double times = 1);

  /// Puts lines where the next kernel finds them, without taking time: in the MALL and, by block, in the L2s in
  /// `holders`.
  void touch(const PhysicalRange &range, std::span<const SnoopFilter::Mask> holders);

private:
  static bool isHit(L2Line line) { return line.visit->hits >> line.member & 1; }
  double giveUp(double arrival, L2Line line);
  /// Line 0 of a block, as the levels behind the L2 number it.
  static Fabric::Order getOrder(const L2Visit &visit, Fabric::Visit *behind) { return {behind, visit.place.member}; }
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
