// HBM: channels with refresh and open rows, and with writes that are done in batches.
#pragma once

#include "runtime/emulator/timing/memory/Channel.h"
#include "runtime/emulator/timing/memory/SetMap.h"
#include "runtime/emulator/timing/prediction/MemoryCounters.h"

#include <vector>

namespace nstf::emulator::timing {

struct ChipTiming;

/// Three effects make loaded memory slower than its pins, and delay some accesses more than others:
/// - every channel stops for periodic refreshes, each channel at its own times;
/// - an access to a row other than the open one of its bank takes longer, and a bank opens one row at a time;
/// - turning the data bus from reads to writes and back costs time, so a channel collects writes into batches.
class Dram {
public:
  Dram(const ChipTiming &chip, MemoryCounters &counters, const LineBlock &block);
  void setClock(double clocksPerNs);

  /// The place of a line. For a block it is that of the first line; the other lines differ in the channel.
  struct Home {
    uint32_t channel, bank, row;
  };
  Home getHome(uint64_t blockBegin) const {
    const Interleave::Home home = interleave(blockBegin);
    const uint32_t row = uint32_t(home.line >> rowShift);
    return {home.channel, bankSpread(row), row};
  }
  Home getHome(const Home &block, uint32_t index) const {
    return {block.channel ^ index >> granuleLines, block.bank, block.row};
  }

  /// When the data of a read that arrives at `arrival` is available, hbm_latency_ns included.
  double read(double arrival, const Home &home, uint32_t bytes);
  /// The same for one line in each of the channels `home.channel`, `home.channel` xor 1, xor 2, xor 3.
  Quad read(const Quad &arrival, const Home &home, uint32_t bytes);
  /// How long a write that arrives at `arrival` waits until the channel accepts it.
  double write(double arrival, const Home &home, uint32_t bytes);

private:
  struct Bank {
    uint32_t row = ~0u;
    double free = 0; ///< when it can open another row
  };
  struct Writes {
    double service = 0;     ///< clocks that the collected writes will take
    uint32_t collected = 0; ///< their number
    bool readSince = false; ///< since the last batch of writes
  };
  /// Books one channel or four.
  template <typename Time> Time book(uint32_t channel, const Time &arrival, const Time &service, const Time &phase);
  /// How long an access at `begin` waits for its row.
  double openRow(const Home &home, double begin);
  double writeCollected(double arrival, uint32_t channel);

  const ChipTiming &chip;
  MemoryCounters &counters;
  Interleave interleave;
  Spread bankSpread;
  uint32_t rowShift;     ///< log2 of the lines of a row
  uint32_t granuleLines; ///< log2 of the lines of a block in one channel
  Channels channels;
  std::vector<double> phases; ///< clocks by which a channel's refreshes precede the end of a period
  std::vector<Writes> writes; ///< by channel
  std::vector<Bank> banks;    ///< bank 0 of every channel, then bank 1, …
  // Core clocks
  double refresh = 0, interval = 0, between = 0; ///< a refresh; from one to the next; the time between them
  double perInterval = 0, perBetween = 0;        ///< reciprocals of interval and between
  double latency = 0, rowMiss = 0, rowCycle = 0, readPerByte = 0, writePerByte = 0, turnaround = 0;
};

} // namespace nstf::emulator::timing
