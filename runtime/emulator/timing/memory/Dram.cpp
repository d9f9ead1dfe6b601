#include "runtime/emulator/timing/memory/Dram.h"

#include "runtime/emulator/timing/chip/ChipTiming.h"

#include <algorithm>
#include <bit>

namespace nstf::emulator::timing {

Dram::Dram(const ChipTiming &chip, MemoryCounters &counters, const LineBlock &block)
    : chip(chip), counters(counters), interleave(chip.hbmChannels, chip.interleaveBytes, chip.l2LineBytes),
      bankSpread(chip.hbmBanks), rowShift(std::bit_width(std::max(1u, chip.hbmRowBytes / chip.l2LineBytes)) - 1),
      granuleLines(uint32_t(std::countr_zero(std::clamp(chip.interleaveBytes / block.lineBytes(), 1u, block.lines())))),
      channels(chip.hbmChannels), phases(chip.hbmChannels), writes(chip.hbmChannels),
      banks(size_t(chip.hbmChannels) * chip.hbmBanks) {}

void Dram::setClock(double clocksPerNs) {
  refresh = chip.hbmRefreshNs * clocksPerNs;
  interval = chip.hbmRefreshIntervalNs * clocksPerNs;
  rowMiss = chip.hbmRowMissNs * clocksPerNs;
  rowCycle = chip.hbmRowCycleNs * clocksPerNs;
  double usable = 1 - refresh / interval;
  // The constant is of pointer chases: each access opens a row and meets a refresh with that probability.
  between = interval - refresh;
  perInterval = 1 / interval;
  perBetween = 1 / between;
  for (size_t i = 0; i < phases.size(); ++i)
    phases[i] = interval * double(i) / double(phases.size());
  latency = std::max(0.0, chip.hbmLatencyNs * clocksPerNs - rowMiss - refresh * refresh / (2 * interval));
  // The constants are of long streams, which lose time to refreshes and bus turnarounds.
  auto perByte = [&](double gbs) { return phases.size() * usable * clocksPerNs / gbs; };
  readPerByte = perByte(chip.hbmReadBandwidth);
  writePerByte = perByte(chip.hbmWriteBandwidth);
  double copyPerByte = perByte(chip.hbmCopyBandwidth);
  turnaround = std::max(0.0, 2 * copyPerByte - readPerByte - writePerByte) * chip.l2LineBytes * chip.hbmWriteBatch;
}

/// The channel is booked in a time scale of its own, without refreshes.
template <typename Time>
Time Dram::book(uint32_t channel, const Time &arrival, const Time &service, const Time &phase) {
  const Time shifted = arrival + phase;
  Time periods = whole(shifted * perInterval);
  const Time worked = periods * between + later(Time(0.0), shifted - periods * interval - refresh);
  const Time begins = worked + channels.book(channel, worked, service);
  periods = whole(begins * perBetween);
  return begins + (periods + 1) * refresh - phase;
}

double Dram::openRow(const Home &home, double begin) {
  Bank &bank = banks[size_t(home.bank) * chip.hbmChannels + home.channel];
  if (bank.row == home.row)
    return 0;
  double opens = std::max(begin, bank.free);
  bank = {home.row, opens + rowCycle};
  return opens - begin + rowMiss;
}

double Dram::read(double arrival, const Home &home, uint32_t bytes) {
  writes[home.channel].readSince = true;
  double service = bytes * readPerByte;
  counters.hbmReadBytes += bytes;
  counters.hbmBusyClocks += service * interval * perBetween;
  double begin = book(home.channel, arrival, service, phases[home.channel]);
  return begin + openRow(home, begin) + latency;
}

Quad Dram::read(const Quad &arrival, const Home &home, uint32_t bytes) {
  const double service = bytes * readPerByte;
  Quad phase;
  counters.hbmReadBytes += granules * bytes;
  for (uint32_t granule = 0; granule < granules; ++granule) {
    writes[home.channel ^ granule].readSince = true;
    phase.set(granule, phases[home.channel ^ granule]);
    counters.hbmBusyClocks += service * interval * perBetween;
  }
  const Quad begin = book(home.channel, arrival, Quad(service), phase);
  Quad opened;
  for (uint32_t granule = 0; granule < granules; ++granule)
    opened.set(granule, openRow({home.channel ^ granule, home.bank, home.row}, begin[granule]));
  return begin + opened + latency;
}

double Dram::write(double arrival, const Home &home, uint32_t bytes) {
  Writes &waiting = writes[home.channel];
  counters.hbmWriteBytes += bytes;
  waiting.service += bytes * writePerByte;
  return ++waiting.collected < chip.hbmWriteBatch ? 0 : writeCollected(arrival, home.channel);
}

double Dram::writeCollected(double arrival, uint32_t channel) {
  Writes &waiting = writes[channel];
  const double service = waiting.service + (waiting.readSince ? turnaround : 0);
  waiting = {};
  counters.hbmBusyClocks += service * interval * perBetween;
  return book(channel, arrival, service, phases[channel]) - arrival;
}

} // namespace nstf::emulator::timing
