// HBM: channels with refresh, open rows, and writes that wait until there are enough of them.
#pragma once

#include "runtime/emulator/timing/Channel.h"
#include "runtime/emulator/timing/MemoryCounters.h"
#include "runtime/emulator/timing/SetMap.h"

#include <vector>

namespace nstf::emulator::timing {

struct ChipTiming;

/// Three things make loaded memory slower than its pins, and some accesses later than others:
/// - every channel stands still for a refresh now and then, each at a time of its own;
/// - an access to another row than its bank has open takes longer, and a bank opens one row after the other;
/// - turning the data bus from reads to writes and back costs time, so a channel collects writes and does some at once.
class Dram {
public:
  Dram(const ChipTiming &chip, MemoryCounters &counters, const LineBlock &block);
  void setClock(double clocksPerNs);

  /// Where a line is; of a block the first one, of which the others differ in the channel.
  struct Home {
    uint32_t channel, bank, row;
  };
  Home homeOf(uint64_t blockBegin) const {
    const Interleave::Home home = interleave(blockBegin);
    const uint32_t row = uint32_t(home.line >> rowShift);
    return {home.channel, bankOf(row), row};
  }
  Home homeOf(const Home &block, uint32_t index) const {
    return {block.channel ^ index >> granuleLines, block.bank, block.row};
  }

  /// When a read that arrives at `arrival` has its data, hbm_latency_ns included.
  double read(double arrival, const Home &home, uint32_t bytes);
  /// The same of lines in the channels `home.channel`, that xor 1, xor 2, xor 3.
  Quad read(const Quad &arrival, const Home &home, uint32_t bytes);
  /// How long a write that arrives then has to wait until the channel takes it.
  double write(double arrival, const Home &home, uint32_t bytes);

private:
  struct Bank {
    uint32_t row = ~0u;
    double free = 0; ///< to open another
  };
  struct Writes {
    double service = 0;     ///< clocks that those collected will take
    uint32_t collected = 0; ///< their number
    bool readSince = false; ///< the last batch of writes
  };
  /// One or four of them.
  template <typename Time> Time book(uint32_t channel, const Time &arrival, const Time &service, const Time &phase);
  /// How long an access at `begin` waits for its row.
  double openRow(const Home &home, double begin);
  double writeCollected(double arrival, uint32_t channel);

  const ChipTiming &chip;
  MemoryCounters &counters;
  Interleave interleave;
  Spread bankOf;
  uint32_t rowShift;     ///< a row's lines, their logarithm
  uint32_t granuleLines; ///< lines of a block in a channel, their logarithm
  Channels channels;
  std::vector<double> phases; ///< a channel's refreshes begin so long before a period's end, clocks
  std::vector<Writes> writes; ///< by channel
  std::vector<Bank> banks;    ///< one of each channel, then the next
  // Core clocks
  double refresh = 0, interval = 0, between = 0; ///< a refresh, from one to the next, and what is left for work
  double perInterval = 0, perBetween = 0;        ///< 1 over these
  double latency = 0, rowMiss = 0, rowCycle = 0, readPerByte = 0, writePerByte = 0, turnaround = 0;
};

} // namespace nstf::emulator::timing
