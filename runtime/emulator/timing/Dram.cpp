#include "runtime/emulator/timing/Dram.h"

#include "runtime/emulator/timing/ChipTiming.h"

#include <bit>

namespace nstf::emulator::timing {

static double whole(double positive) { return double(int64_t(positive)); }

Dram::Dram(const ChipTiming &chip, MemoryCounters &counters, const LineBlock &block)
    : chip(chip), counters(counters), interleave(chip.hbmChannels, chip.interleaveBytes, chip.l2LineBytes),
      bankOf(chip.hbmBanks), rowShift(std::bit_width(std::max(1u, chip.hbmRowBytes / chip.l2LineBytes)) - 1),
      granuleLines(uint32_t(std::countr_zero(std::clamp(chip.interleaveBytes / block.lineBytes(), 1u, block.lines())))),
      channels(chip.hbmChannels), banks(size_t(chip.hbmChannels) * chip.hbmBanks) {}

void Dram::setClock(double clocksPerNs) {
  refresh = chip.hbmRefreshNs * clocksPerNs;
  interval = chip.hbmRefreshIntervalNs * clocksPerNs;
  rowMiss = chip.hbmRowMissNs * clocksPerNs;
  rowCycle = chip.hbmRowCycleNs * clocksPerNs;
  double usable = 1 - refresh / interval;
  // The constant is of pointer chases: each opens a row and meets a refresh as often as that happens.
  between = interval - refresh;
  perInterval = 1 / interval;
  perBetween = 1 / between;
  for (size_t i = 0; i < channels.size(); ++i)
    channels[i].phase = interval * double(i) / double(channels.size());
  latency = std::max(0.0, chip.hbmLatencyNs * clocksPerNs - rowMiss - refresh * refresh / (2 * interval));
  // The constants are of long streams, which lose the refreshes and the bus's turns.
  auto perByte = [&](double gbs) { return channels.size() * usable * clocksPerNs / gbs; };
  readPerByte = perByte(chip.hbmReadBandwidth);
  writePerByte = perByte(chip.hbmWriteBandwidth);
  double copyPerByte = perByte(chip.hbmCopyBandwidth);
  turnaround = std::max(0.0, 2 * copyPerByte - readPerByte - writePerByte) * chip.l2LineBytes * chip.hbmWriteBatch;
}

/// The channel works in a time of its own, in which refreshes take none.
double Dram::book(State &state, double arrival, double service) {
  double shifted = arrival + state.phase, periods = whole(shifted * perInterval);
  double worked = periods * between + std::max(0.0, shifted - periods * interval - refresh);
  double begins = worked + state.channel.book(worked, service);
  periods = whole(begins * perBetween);
  return begins + (periods + 1) * refresh - state.phase;
}

double Dram::openRow(const Home &home, double begin) {
  Bank &bank = banks[size_t(home.channel) * chip.hbmBanks + home.bank];
  if (bank.row == home.row)
    return 0;
  double opens = std::max(begin, bank.free);
  bank = {home.row, opens + rowCycle};
  return opens - begin + rowMiss;
}

double Dram::read(double arrival, const Home &home, uint32_t bytes) {
  State &state = channels[home.channel];
  state.readSince = true;
  double service = bytes * readPerByte;
  counters.hbmReadBytes += bytes;
  counters.hbmBusyClocks += service * interval * perBetween;
  double begin = book(state, arrival, service);
  return begin + openRow(home, begin) + latency;
}

double Dram::write(double arrival, const Home &home, uint32_t bytes) {
  State &state = channels[home.channel];
  counters.hbmWriteBytes += bytes;
  state.writeService += bytes * writePerByte;
  if (++state.writes < chip.hbmWriteBatch)
    return 0;
  double service = state.writeService + (state.readSince ? turnaround : 0);
  state.writes = 0;
  state.writeService = 0;
  state.readSince = false;
  counters.hbmBusyClocks += service * interval * perBetween;
  return book(state, arrival, service) - arrival;
}

} // namespace nstf::emulator::timing
