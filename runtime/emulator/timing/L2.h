// The L2 caches, one an XCD.
#pragma once

#include "runtime/emulator/timing/Fabric.h"
#include "runtime/emulator/timing/PageSet.h"

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

  /// Where a line is held, if it is: in the L2 and behind it.
  struct Home {
    uint32_t xcd;
    uint32_t channel; ///< through all XCDs
    uint32_t set;     ///< through all channels: the same set of each channel of an XCD stands together
    bool isMemoryKnown;
    Fabric::Home memory; ///< the address alone unless isMemoryKnown
    Fabric::Home leaves; ///< what will, as far as is known
  };
  Home homeOf(uint32_t xcd, uint64_t address) const {
    const Interleave::Home home = interleave(address);
    const uint32_t set = (xcd * setsPerChannel + setInChannel(home.line)) * chip.l2Channels + home.channel;
    return {xcd, xcd * chip.l2Channels + home.channel, set, false, {address, 0, 0}, {noAddress, 0, 0}};
  }
  /// Has the host fetch what an access there will look up.
  void prefetch(const Home &home) const { tags.prefetch(home.set); }
  enum class Goes : uint8_t { OnIfMissing, OnAlways, Nowhere }; ///< from the L2 to memory
  /// Once it has that: what an access will look up behind the L2, for itself and for the line that leaves.
  void prefetchMemory(Home &home, Goes goes);

  /// When what an L1 (or scalar, or instruction cache) asks for at `arrival` is at hand: `bytes` within a line.
  double read(double arrival, const Home &home, uint32_t bytes, bool streaming);
  /// How long a write of `bytes` waits until it is taken: bit i of `dwords` is dword i behind the address.
  double write(double arrival, const Home &home, uint32_t dwords, uint32_t bytes, bool streaming);
  /// The same of a write that memory has to have before it is acknowledged: the time beyond an L2's acknowledgement.
  double writeThrough(double arrival, const Home &home, uint32_t dwords, uint32_t bytes);
  /// When an atomic is done, of so many lanes on these dwords, here or in memory, where other XCDs see it.
  double atomic(double arrival, const Home &home, uint32_t dwords, uint32_t lanes, bool inMemory);
  /// Writes an XCD's changed lines to memory; when that is done.
  double writeBack(uint32_t xcd, double arrival);
  /// Forgets an XCD's lines.
  void drop(uint32_t xcd);

  void beginLaunch() { pages.clear(); }
  /// Pages that were asked for since then.
  const PageSet &touched() const { return pages; }
  /// Whether the next kernel finds the line in the chip's only L2 or in the MALL.
  bool outlives(uint64_t address) { return isHeld(homeOf(0, address)); }
  /// Puts the line where the next kernel finds it, at no time.
  void touch(uint64_t address);

private:
  static constexpr uint64_t noAddress = ~uint64_t(0);
  Fabric::Home memoryOf(const Home &home) const {
    return home.isMemoryKnown ? home.memory : fabric.homeOf(home.memory.address);
  }
  uint64_t lineOf(const Home &home) const { return home.memory.address >> lineShift; }
  double book(const Home &home, double arrival, double service) {
    counters.l2BusyClocks += service;
    return channels[home.channel].book(arrival, service);
  }
  uint32_t makeRoom(double arrival, const Home &home, double &wait);
  void dropElsewhere(const Home &home);
  bool isHeld(const Home &home);
  void notePage(const Home &home) {
    if (!pages.has(home.memory.address)) [[unlikely]]
      pages.add(home.memory.address, isHeld(home));
  }

  const ChipTiming &chip;
  MemoryCounters &counters;
  Fabric fabric;
  Sectors sectorsOf;
  Interleave interleave;
  Spread setInChannel;
  uint32_t setsPerChannel, lineShift;
  std::vector<Channel> channels;
  std::vector<uint32_t> dirtyLines; ///< by XCD
  TagArray tags;
  PageSet pages;
  double readPerByte, writePerByte; ///< clocks
};

} // namespace nstf::emulator::timing
