#include "runtime/emulator/timing/Standstill.h"
#include "runtime/emulator/run/Stall.h"

#include <algorithm>

namespace nstf::emulator::timing {
namespace {

/// Stops without progress before waves are looked at: looking takes longer than a stop.
constexpr uint64_t unsuspicious = 1 << 16;
constexpr uint64_t betweenLooks = 1 << 12;
constexpr uint32_t unchangedTimes = 16;

} // namespace

void Standstill::progress() {
  stops = 0;
  seen.clear();
}

bool Standstill::executed(const TimedGroup &group, unsigned number) {
  if (++stops < unsuspicious || group.recorded->isExecuted())
    return false;
  const TimedWave &wave = group.waves[number];
  Seen &last = seen[&wave];
  if (last.instruction == wave.entry.instruction || ++last.others == unchangedTimes) {
    const uint64_t state = stateOf(*group.recorded->execution().group.waves[number]);
    const bool isUnchanged = last.instruction == wave.entry.instruction && last.state == state;
    last = {wave.entry.instruction, state, isUnchanged ? last.times + 1 : 0, 0};
  }
  return stops % betweenLooks == 0;
}

bool Standstill::isFinal(const std::vector<std::unique_ptr<TimedGroup>> &groups) const {
  return std::ranges::all_of(groups, [&](const std::unique_ptr<TimedGroup> &group) {
    return !group->recorded || std::ranges::all_of(group->waves, [&](const TimedWave &wave) {
      if (wave.ready == never)
        return true; // at a barrier, or ended
      const auto found = seen.find(&wave);
      return found != seen.end() && found->second.times >= unchangedTimes;
    });
  });
}

} // namespace nstf::emulator::timing
