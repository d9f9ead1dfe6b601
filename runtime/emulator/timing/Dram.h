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
  /// How long a write that arrives then has to wait until the channel takes it.
  double write(double arrival, const Home &home, uint32_t bytes);

private:
  struct Bank {
    uint32_t row = ~0u;
    double free = 0; ///< to open another
  };
  struct State {
    Channel channel;
    double phase = 0;        ///< its refreshes begin so long before a period's end, clocks
    uint32_t writes = 0;     ///< collected
    double writeService = 0; ///< clocks that they will take
    bool readSince = false;  ///< the last batch of writes
  };
  double book(State &state, double arrival, double service);
  /// How long an access at `begin` waits for its row.
  double openRow(const Home &home, double begin);

  const ChipTiming &chip;
  MemoryCounters &counters;
  Interleave interleave;
  Spread bankOf;
  uint32_t rowShift;     ///< a row's lines, their logarithm
  uint32_t granuleLines; ///< lines of a block in a channel, their logarithm
  std::vector<State> channels;
  std::vector<Bank> banks; ///< by channel
  // Core clocks
  double refresh = 0, interval = 0, between = 0; ///< a refresh, from one to the next, and what is left for work
  double perInterval = 0, perBetween = 0;        ///< 1 over these
  double latency = 0, rowMiss = 0, rowCycle = 0, readPerByte = 0, writePerByte = 0, turnaround = 0;
};

} // namespace nstf::emulator::timing
