// From the L2s to memory: the MALL, where the chip has one, and HBM behind it.
#pragma once

#include "runtime/emulator/timing/ChipTiming.h"
#include "runtime/emulator/timing/Dram.h"
#include "runtime/emulator/timing/Sectors.h"
#include "runtime/emulator/timing/TagArray.h"

namespace nstf::emulator::timing {

/// The MALL stands in front of the memory and holds what is read and what is written. An L2 fetches its lines whole, so
/// parts of one that would be lines of the MALL come and go together: these are taken to be as long as the L2's at
/// least.
///
/// Times are those of the L2: `arrival` is when the L2 would have served a load that hits.
class Fabric {
public:
  Fabric(const ChipTiming &chip, MemoryCounters &counters);
  void setClock(double clocksPerNs);

  /// Where a line is held, if it is.
  struct Home {
    uint64_t address;
    uint32_t slice;
    uint32_t set; ///< through all slices: the same set of each stands together
  };
  Home homeOf(uint64_t address) const {
    if (!chip.mallBytes)
      return {address, 0, 0};
    const Interleave::Home home = interleave(address);
    return {address, home.channel, setInSlice(home.line) * chip.mallSlices + home.channel};
  }
  /// Has the host fetch what an access there will look up.
  void prefetch(const Home &home) const {
    if (chip.mallBytes)
      tags.prefetch(home.set);
  }

  /// When a line that an L2 asks for is there.
  double read(double arrival, const Home &home);
  /// How long what an L2 writes waits until it is taken.
  double write(double arrival, const Home &home, uint8_t sectors);
  /// When memory has executed an atomic that keeps the slice busy for `service` clocks.
  double atomic(double arrival, const Home &home, double service);

  /// Whether the MALL has anything of a line.
  bool holds(const Home &home);
  /// Puts a whole line into the MALL, at no time.
  void touch(const Home &home);

  /// From memory's taking a write until the L2 knows.
  double writeLatency() const { return latency; }

private:
  uint64_t lineOf(const Home &home) const { return home.address >> lineShift; }
  /// Books a write; how long it waits for the slice.
  double bookWrite(uint32_t slice, double arrival, double service);
  /// Makes room in a set. What has to be written to memory for that waits so long.
  double evict(double arrival, TagArray::Set set, uint32_t way);

  const ChipTiming &chip;
  MemoryCounters &counters;
  Dram dram;
  Sectors sectorsOf, sectorsOfL2; ///< of the MALL's lines, of an L2's
  Interleave interleave;
  Spread setInSlice;
  uint32_t setsPerSlice, lineBytes, lineShift;
  /// A write behind a read costs more than either by itself.
  struct Slice {
    Channel channel;
    uint32_t reads = 0; ///< that no write stood behind yet, of the last few
  };
  std::vector<Slice> slices;
  TagArray tags;
  double latency = 0, readService = 0, writePerByte = 0, turnaround = 0; // core clocks
};

} // namespace nstf::emulator::timing
