// Synthetic accesses for tests of the memory system: pointer chases, and waves that stream.
#pragma once

#include "runtime/emulator/timing/chip/ChipTiming.h"
#include "runtime/emulator/timing/memory/MemorySystem.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <random>

namespace nstf::emulator::timing::test {

constexpr uint64_t mega = 1 << 20;

inline VectorAccess makeAccess(const std::vector<LineAccess> &lines, AccessKind kind, uint32_t bytesPerLane,
                               CachePolicy policy = {}) {
  uint32_t addressClocks = std::max<uint32_t>(64 * bytesPerLane / 64, uint32_t(lines.size()));
  return {kind, policy, lines, std::max(4u, addressClocks), 64 * bytesPerLane};
}

/// The lines of 64 lanes that access `bytesPerLane` each, one behind the other.
inline void sequential(const ChipTiming &chip, uint64_t address, uint32_t bytesPerLane,
                       std::vector<LineAccess> &lines) {
  lines.clear();
  for (uint32_t offset = 0; offset < 64 * bytesPerLane; offset += chip.l1LineBytes) {
    uint32_t bytes = std::min(chip.l1LineBytes, 64 * bytesPerLane - offset), dwords = bytes / 4;
    lines.push_back({address + offset, dwords == 32 ? ~0u : (1u << dwords) - 1, bytes / bytesPerLane});
  }
}

/// One lane follows pointers through all lines of `footprint` bytes, in an order that looks random, again and again.
/// The mean clocks of a load from the second round on.
inline double chase(const ChipTiming &chip, uint64_t footprint, CachePolicy policy = {}, double clockMhz = 0) {
  MemorySystem memory(chip);
  memory.beginLaunch(clockMhz ? clockMhz : chip.peakClock);
  std::vector<uint32_t> order(footprint / chip.l2LineBytes);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(7));
  Clocks now = 0;
  LineAccess line{0, 1, 1};
  auto load = [&](uint32_t number) {
    line.address = uint64_t(number) * chip.l2LineBytes;
    now = memory.vectorAccess(0, now, {AccessKind::Load, policy, {&line, 1}, 4, 4}).done;
  };
  std::ranges::for_each(order, load); // what fits is held from then on
  size_t count = std::min<size_t>(order.size(), 20000);
  Clocks begin = now;
  std::for_each_n(order.begin(), count, load);
  return double(now - begin) / double(count);
}

/// What a wave does next: fills `lines` and returns the access, or one without lines when it has ended.
using NextAccess = std::function<VectorAccess(uint32_t computeUnit, uint32_t wave, std::vector<LineAccess> &lines)>;

struct StreamResult {
  Clocks clocks = 0;
  double gbs(const ChipTiming &chip, double bytes) const { return bytes * chip.peakClock / 1000 / double(clocks); }
};

/// `waves` on each of the first `computeUnits`: each wave's access begins when its last one is done.
inline StreamResult stream(const ChipTiming &chip, MemorySystem &memory, uint32_t computeUnits, uint32_t waves,
                           const NextAccess &next) {
  struct Event {
    Clocks time;
    uint32_t order;
    bool operator<(const Event &other) const { return std::tie(time, order) > std::tie(other.time, other.order); }
  };
  std::priority_queue<Event> events;
  // Neighbouring waves are on neighbouring XCDs, as the dispatcher has them.
  uint32_t perXcd = chip.computeUnitsPerXcd(), xcds = std::max(1u, computeUnits / perXcd);
  for (uint32_t i = 0; i < computeUnits * waves; ++i)
    events.push({i / computeUnits, i});
  StreamResult result;
  std::vector<LineAccess> lines;
  while (!events.empty()) {
    Event event = events.top();
    events.pop();
    uint32_t slot = event.order % computeUnits;
    uint32_t computeUnit = slot % xcds * perXcd + slot / xcds;
    VectorAccess access = next(computeUnit, event.order, lines);
    if (access.lines.empty())
      continue;
    Clocks done = memory.vectorAccess(computeUnit, event.time, access).done;
    result.clocks = std::max(result.clocks, done);
    events.push({done, event.order});
  }
  return result;
}

/// All waves of all compute units walk through `footprint` bytes together, each taking the next piece. GB/s.
inline double walk(const ChipTiming &chip, MemorySystem &memory, uint64_t footprint, uint32_t bytesPerLane,
                   AccessKind kind, uint32_t waves) {
  memory.beginLaunch(chip.peakClock);
  uint64_t given = 0;
  StreamResult result =
      stream(chip, memory, chip.computeUnits, waves, [&](uint32_t, uint32_t, std::vector<LineAccess> &lines) {
        if (given >= footprint)
          return VectorAccess{};
        sequential(chip, given, bytesPerLane, lines);
        given += 64 * bytesPerLane;
        return makeAccess(lines, kind, bytesPerLane);
      });
  return result.gbs(chip, double(footprint));
}

/// The waves of each compute unit walk through the same `footprint` bytes, 16 bytes a lane, `rounds` times. GB/s of
/// all.
inline double reread(const ChipTiming &chip, MemorySystem &memory, uint64_t footprint, uint32_t rounds,
                     uint32_t waves) {
  memory.beginLaunch(chip.peakClock);
  std::vector<uint64_t> given(chip.computeUnits);
  StreamResult result = stream(chip, memory, chip.computeUnits, waves,
                               [&](uint32_t computeUnit, uint32_t, std::vector<LineAccess> &lines) {
                                 uint64_t &place = given[computeUnit];
                                 if (place >= footprint * rounds)
                                   return VectorAccess{};
                                 sequential(chip, place % footprint, 16, lines);
                                 place += 1024;
                                 return makeAccess(lines, AccessKind::Load, 16);
                               });
  return result.gbs(chip, double(footprint) * rounds * chip.computeUnits);
}

} // namespace nstf::emulator::timing::test
