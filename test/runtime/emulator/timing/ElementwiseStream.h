// An elementwise kernel without its instructions: groups of threads with one 8-byte element each take slots of the
// compute units, load, store, and give them back.
#pragma once

#include "test/runtime/emulator/timing/MemoryStreams.h"

namespace nstf::emulator::timing::test {

struct Elementwise {
  uint32_t threads;           ///< of a group
  uint32_t groups;            ///< resident on a compute unit
  uint32_t reads, writes;     ///< arrays
  uint64_t bytes = 64 * mega; ///< of an array
};

/// GB/s of reads and writes. A slot's turnaround and the launch of waves are the constants of the chip's dispatcher.
class ElementwiseStream {
public:
  ElementwiseStream(const ChipTiming &chip, const Elementwise &kernel)
      : chip(chip), kernel(kernel), memory(chip), slots(chip.computeUnits * kernel.groups), launchFree(chip.xcds),
        turnaround(Clocks(chip.slotTurnaroundNs * chip.peakClock / 1000)) {
    memory.beginLaunch(chip.peakClock);
  }

  double gbs() {
    for (uint32_t slot = 0; slot < slots.size(); ++slot)
      begin(slot, 0);
    while (!events.empty()) {
      Event event = events.top();
      events.pop();
      step(event);
    }
    return double(next) * (kernel.reads + kernel.writes) * chip.peakClock / 1000 / double(end);
  }

private:
  struct Slot {
    uint64_t address = 0;
    uint32_t running = 0; ///< waves
    Clocks done = 0;
  };
  struct Event {
    Clocks time;
    uint32_t slot, wave;
    bool stores;
    bool operator<(const Event &other) const {
      return std::tie(time, slot, wave) > std::tie(other.time, other.slot, other.wave);
    }
  };

  static constexpr uint32_t ended = ~0u; ///< in place of a wave: the group's slot is free

  // Neighbouring groups are on neighbouring XCDs.
  uint32_t getComputeUnit(uint32_t slot) const {
    uint32_t number = slot % chip.computeUnits;
    return number % chip.xcds * chip.computeUnitsPerXcd() + number / chip.xcds;
  }

  void begin(uint32_t slot, Clocks now) {
    if (next >= kernel.bytes)
      return;
    Slot &group = slots[slot];
    group = {next, (kernel.threads + 63) / 64, 0};
    next += kernel.threads * 8;
    double &launch = launchFree[getComputeUnit(slot) / chip.computeUnitsPerXcd()];
    for (uint32_t wave = 0; wave < group.running; ++wave) {
      launch = std::max(launch, double(now)) + 1 / chip.wavesLaunchedPerClock;
      events.push({Clocks(launch) + turnaround, slot, wave, kernel.reads == 0});
    }
  }

  void step(const Event &event) {
    if (event.wave == ended)
      return begin(event.slot, event.time);
    Slot &group = slots[event.slot];
    uint32_t first = event.wave * 64, lanes = std::min(64u, kernel.threads - first);
    Clocks done = event.time;
    for (uint32_t array = 0; array < (event.stores ? kernel.writes : kernel.reads); ++array) {
      uint64_t base = (event.stores ? kernel.reads + array : array) * (uint64_t(1) << 30);
      done = std::max(done, access(getComputeUnit(event.slot), event.time + array * 4, base + group.address + first * 8,
                                   lanes, event.stores ? AccessKind::Store : AccessKind::Load));
    }
    if (!event.stores && kernel.writes) {
      events.push({done, event.slot, event.wave, true});
      return;
    }
    group.done = std::max(group.done, done);
    end = std::max(end, done);
    if (--group.running == 0)
      events.push({group.done, event.slot, ended, false});
  }

  Clocks access(uint32_t computeUnit, Clocks now, uint64_t address, uint32_t lanes, AccessKind kind) {
    lines.clear();
    for (uint64_t at = address, last = address + lanes * 8; at < last;) {
      uint64_t line = at & ~uint64_t(chip.l1LineBytes - 1), up = std::min<uint64_t>(last, line + chip.l1LineBytes);
      uint64_t dwords = ((uint64_t(1) << (up - at) / 4) - 1) << (at - line) / 4;
      lines.push_back({line, uint32_t(dwords), uint32_t(up - at) / 8});
      at = up;
    }
    uint32_t addressClocks = std::max<uint32_t>({4, lanes * 8 / 64, uint32_t(lines.size())});
    return memory.vectorAccess(computeUnit, now, {kind, {}, lines, addressClocks, lanes * 8}).done;
  }

  const ChipTiming &chip;
  Elementwise kernel;
  MemorySystem memory;
  std::vector<Slot> slots;
  std::vector<double> launchFree; ///< of each XCD
  Clocks turnaround, end = 0;
  uint64_t next = 0;
  std::priority_queue<Event> events;
  std::vector<LineAccess> lines;
};

} // namespace nstf::emulator::timing::test
