#include "runtime/emulator/timing/compute_unit/Standstill.h"
#include "runtime/emulator/instructions/GlobalWaveSync.h"
#include "runtime/emulator/run/Stall.h"
#include "runtime/emulator/timing/record/PollingLoads.h"

#include <algorithm>
#include <string_view>

namespace nstf::emulator::timing {
namespace {

/// Stops without progress before waves are examined: an examination costs more than a stop.
constexpr uint64_t unsuspicious = 1 << 16;
constexpr uint64_t betweenLooks = 1 << 12;
constexpr uint32_t unchangedTimes = 16;

uint64_t getState(const Wave &wave, const RegisterSet &registers) {
  if (registers.all())
    return emulator::getState(wave);
  uint64_t hash = wave.mode;
  auto mix = [&](const auto &part) {
    const std::string_view bytes(reinterpret_cast<const char *>(&part), sizeof(part));
    hash = hash * 0x9e3779b97f4a7c15u ^ std::hash<std::string_view>()(bytes);
  };
  for (size_t i = registers._Find_first(); i < registers.size(); i = registers._Find_next(i))
    if (i < temporaryRow)
      mix(wave.rows[i]);
    else
      mix(wave.scalars[i - temporaryRow]);
  return hash;
}

} // namespace

void Standstill::watch(StoreLog *watching) {
  for (const std::unique_ptr<TimedGroup> &group : groups)
    if (group->recorded)
      group->recorded->watch(watching);
}

void Standstill::progress() {
  if (stops >= unsuspicious)
    watch(nullptr);
  stops = syncStops = 0;
  stores.begin();
  seen.clear();
}

Standstill::Code::Code(const Launch &launch)
    : facts(*launch.target, *launch.program), flow(*launch.program, facts, launch.entry->instruction) {}

const std::optional<RegisterSet> &Standstill::decidingBehind(uint32_t load) {
  if (!code)
    code.emplace(launch);
  const auto [found, isNew] = code->deciding.try_emplace(load);
  if (isNew)
    found->second = timing::decidingBehind(code->flow, code->facts, load);
  return found->second;
}

bool Standstill::executed(const TimedGroup &group, unsigned number) {
  if (++stops < unsuspicious)
    return false;
  if (stops == unsuspicious)
    watch(&stores);
  const TimedWave &wave = group.waves[number];
  const Wave *registers = group.recorded->isExecuted() ? nullptr : group.recorded->execution().group.waves[number];
  const bool sync = wave.fact->is(TimingFact::globalSync);
  const bool passes = sync && (!registers || registers->next->instruction != wave.entry.instruction);
  if (passes || !stores.unchanged()) {
    progress();
    return false;
  }
  stores.begin();
  if (registers && (sync || wave.fact->is(TimingFact::load)))
    look(wave, *registers);
  return stops % betweenLooks == 0 && isFinal();
}

bool Standstill::waitsForWaves(const TimedGroup &group, unsigned number) {
  if (!group.waves[number].fact->is(TimingFact::globalSync))
    return false;
  if (const uint64_t now = launch.waveSync->passes(); now != passes) {
    passes = now;
    syncStops = 0;
    return false;
  }
  if (++syncStops % betweenLooks)
    return false;
  return std::ranges::all_of(groups, [](const std::unique_ptr<TimedGroup> &group) {
    return !group->recorded || std::ranges::all_of(group->waves, [](const TimedWave &wave) {
      return wave.ready == never || wave.fact->is(TimingFact::globalSync);
    });
  });
}

void Standstill::look(const TimedWave &wave, const Wave &registers) {
  Seen &last = seen[&wave];
  const bool isSame = last.load == wave.entry.instruction;
  if (!isSame && last.load != ~0u && ++last.others < unchangedTimes)
    return;
  const std::optional<RegisterSet> &deciding = decidingBehind(wave.entry.instruction);
  const uint64_t state = deciding ? getState(registers, *deciding) : 0;
  last = {wave.entry.instruction, state, isSame && deciding && last.state == state ? last.times + 1 : 0, 0};
}

bool Standstill::isFinal() const {
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
