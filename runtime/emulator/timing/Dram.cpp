#include "runtime/emulator/timing/Dram.h"

#include "runtime/emulator/timing/ChipTiming.h"

#include <cmath>

namespace nstf::emulator::timing {

Dram::Dram(const ChipTiming &chip, MemoryCounters &counters)
    : chip(chip), counters(counters), interleave(chip.hbmChannels, chip.interleaveBytes, chip.l2LineBytes),
      bankOf(chip.hbmBanks), linesPerRow(std::max(1u, chip.hbmRowBytes / chip.l2LineBytes)), channels(chip.hbmChannels),
      openRows(size_t(chip.hbmChannels) * chip.hbmBanks, ~0u) {}

void Dram::setClock(double clocksPerNs) {
  refresh = chip.hbmRefreshNs * clocksPerNs;
  interval = chip.hbmRefreshIntervalNs * clocksPerNs;
  rowMiss = chip.hbmRowMissNs * clocksPerNs;
  double usable = 1 - refresh / interval;
  // The constant is of pointer chases: each opens a row and meets a refresh as often as that happens.
  latency = std::max(0.0, chip.hbmLatencyNs * clocksPerNs - rowMiss - refresh * refresh / (2 * interval));
  // The constants are of long streams, which lose the refreshes and the bus's turns.
  auto perByte = [&](double gbs) { return channels.size() * usable * clocksPerNs / gbs; };
  readPerByte = perByte(chip.hbmReadBandwidth);
  writePerByte = perByte(chip.hbmWriteBandwidth);
  double copyPerByte = perByte(chip.hbmCopyBandwidth);
  turnaround = std::max(0.0, 2 * copyPerByte - readPerByte - writePerByte) * chip.l2LineBytes * chip.hbmWriteBatch;
}

/// The channel works in a time of its own, in which refreshes take none.
double Dram::book(uint32_t channel, double arrival, double service) {
  double between = interval - refresh; // a period's time for work
  double phase = interval * channel / double(channels.size());
  double periods = std::floor((arrival + phase) / interval);
  double intoPeriod = arrival + phase - periods * interval;
  double worked = periods * between + std::max(0.0, intoPeriod - refresh);
  double begins = worked + channels[channel].channel.book(worked, service);
  periods = std::floor(begins / between);
  return periods * interval + refresh + (begins - periods * between) - phase;
}

bool Dram::opensRow(Interleave::Home home) {
  uint64_t row = home.line / linesPerRow;
  uint32_t &open = openRows[size_t(home.channel) * chip.hbmBanks + bankOf(row)];
  return std::exchange(open, uint32_t(row)) != uint32_t(row);
}

double Dram::read(double arrival, uint64_t address, uint32_t bytes) {
  Interleave::Home home = interleave(address);
  State &state = channels[home.channel];
  state.readSince = true;
  double service = bytes * readPerByte;
  counters.hbmReadBytes += bytes;
  counters.hbmBusyClocks += service * interval / (interval - refresh);
  return book(home.channel, arrival, service) + latency + (opensRow(home) ? rowMiss : 0);
}

double Dram::write(double arrival, uint64_t address, uint32_t bytes) {
  Interleave::Home home = interleave(address);
  State &state = channels[home.channel];
  counters.hbmWriteBytes += bytes;
  state.writeService += bytes * writePerByte;
  if (++state.writes < chip.hbmWriteBatch)
    return 0;
  double service = state.writeService + (state.readSince ? turnaround : 0);
  state.writes = 0;
  state.writeService = 0;
  state.readSince = false;
  counters.hbmBusyClocks += service * interval / (interval - refresh);
  return book(home.channel, arrival, service) - arrival;
}

} // namespace nstf::emulator::timing
