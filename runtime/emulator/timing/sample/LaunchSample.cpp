#include "runtime/emulator/timing/sample/LaunchSample.h"
#include "runtime/emulator/run/Dispatch.h"
#include "runtime/emulator/run/LaunchDriver.h"
#include "runtime/emulator/run/Scheduler.h"
#include "runtime/emulator/timing/chip/ChipTiming.h"
#include "runtime/emulator/timing/compute_unit/Dispatcher.h"
#include "runtime/emulator/timing/compute_unit/TimedWave.h"
#include "runtime/emulator/timing/memory/MemorySystem.h"
#include "runtime/emulator/timing/prediction/ScaledCounters.h"
#include "runtime/emulator/timing/record/Outline.h"
#include "runtime/emulator/timing/sample/GroupProbe.h"
#include "runtime/emulator/timing/sample/GroupWork.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nstf::emulator::timing {
namespace {

/// Number of budgets for which rounds may drift.
constexpr uint64_t patientBudgets = 1;
/// A cache counts as full, with as many evictions as fills, once this multiple of its size was filled.
constexpr double fullEnough = 1.25;
/// Possible error of replay itself, as a share of the replayed time.
constexpr double replayError = 0.02;
/// The same for workgroups of kinds that were not simulated.
constexpr double beyondError = 0.1;
/// The same if caches were still filling when the patience ended.
constexpr double fillError = 0.15;

} // namespace

LaunchSample::LaunchSample(LaunchDriver &driver, const ChipTiming &chip, const TimingFacts &facts,
                           const TimingOptions &options)
    : driver(driver), chip(chip), facts(facts), options(options), groups(driver.groups()),
      sampler(groups, driver.residents(), chip.computeUnits, patientBudgets * options.budget) {
  if (Sampler::pays(groups, driver.residents()))
    instructions.resize(groups);
}

/// Whether a wave can observe another workgroup: only then can it wait for one.
bool LaunchSample::waits() const {
  for (uint32_t i = 0; i < facts.size(); ++i)
    if (const TimingFact &fact = facts[i];
        fact.is(TimingFact::globalSync) ||
        (fact.is(TimingFact::stop) && fact.is(TimingFact::load) && !fact.is(TimingFact::readsClock)))
      return true;
  return false;
}

/// Whether the caches behind the L1s, as far as the launch will fill them, are full: before that, they accept writes
/// without evictions.
bool LaunchSample::isSteady(const MemoryCounters &memory) const {
  const double toCome = double(groups) / double(std::max<uint64_t>(simulated, 1));
  auto fills = [&](uint64_t lines, uint64_t bytes) {
    const double filled = double(lines) * chip.l2LineBytes;
    return filled < fullEnough * double(bytes) && filled * toCome > double(bytes);
  };
  return !fills(memory.l2Misses, chip.l2Bytes * chip.xcds) &&
         !fills(memory.mallMisses + memory.fabricWrites, chip.mallBytes);
}

LaunchSample::Size LaunchSample::probe(const Outline &outline) {
  constexpr double alikeWithin = 0.02;
  if (instructions.empty())
    return Size::Within;
  GroupProbe probe(driver, outline);
  const GroupProbe::Result first = probe.execute(0);
  if (double(first.instructions) * double(groups) <= double(options.budget))
    return Size::Within;
  bool alike = first.wavesAgree && driver.residents() <= chip.computeUnits;
  for (uint64_t index : GroupWork::probes(driver.launch().arguments->grid)) {
    const GroupProbe::Result group = probe.execute(index);
    instructions[index] = group.instructions;
    alike &= group.wavesAgree && group.loops == first.loops &&
             std::abs(double(group.instructions) / double(first.instructions) - 1) < alikeWithin;
  }
  return alike ? Size::BeyondAlike : Size::Beyond;
}

void LaunchSample::groupEnded(const TimedGroup &group, Clocks lasted, const MemorySystem &memory) {
  if (instructions.empty())
    return;
  const RecordedGroup &recorded = *group.recorded;
  instructions[recorded.index] = recorded.instructions;
  if (++simulated == driver.residents())
    changedByFirstRound = memory.changedLines();
  simulatedInstructions += recorded.instructions;
  residentClocks += lasted;
  left -= isDraining();
  if (sampler.settled())
    return;
  sampler.retired({recorded.index, group.computeUnit, group.begun, group.begun + lasted, recorded.instructions},
                  isSteady(memory.counters()));
  if (!sampler.settled())
    return;
  cachesFill = !isSteady(memory.counters());
  const double all = double(simulatedInstructions) / double(simulated) * double(groups);
  enough = all > double(options.budget) && !waits();
}

void LaunchSample::execute(std::span<const uint64_t> which) {
  if (which.empty())
    return;
  const uint64_t threads = usableThreads(driver.options().threads);
  Scheduler(driver, unsigned(std::min<uint64_t>({threads, which.size(), driver.residents()})), which,
            [this](uint64_t group, uint64_t executed) { instructions[group] = executed; })
      .run();
}

/// Executes the workgroups that have not begun.
void LaunchSample::executeRest(const Dispatcher &dispatcher) {
  std::vector<uint64_t> rest;
  for (uint32_t xcd = 0; xcd < chip.xcds; ++xcd)
    for (uint64_t group = dispatcher.nextGroup(xcd); group < groups; group += chip.xcds)
      rest.push_back(group);
  std::ranges::sort(rest);
  if (!options.sampledOnly) {
    execute(rest);
    return;
  }
  const uint32_t (&grid)[3] = driver.launch().arguments->grid;
  std::vector<uint64_t> probes = GroupWork::probes(grid);
  std::erase_if(probes,
                [&](uint64_t probe) { return instructions[probe] || !std::ranges::binary_search(rest, probe); });
  execute(probes);
  GroupWork work(grid);
  for (uint64_t group = 0; group < groups; ++group)
    if (instructions[group])
      work.add(group, instructions[group]);
  for (uint64_t group : rest)
    if (!instructions[group])
      instructions[group] = work.estimate(group);
}

void LaunchSample::beginDrain(std::span<const std::unique_ptr<TimedGroup>> resident, Clocks now, Clocks skipped,
                              uint64_t executed) {
  for (const std::unique_ptr<TimedGroup> &group : resident)
    if (group->recorded) {
      const int64_t begun = int64_t(group->begun) - int64_t(skipped - group->skippedBefore);
      residents.push_back({group->recorded->index, group->computeUnit, begun});
      residentClocks += Clocks(std::max<int64_t>(int64_t(now) - begun, 0));
    }
  pace = double(residentClocks) / double(executed);
  drainSpeed.emplace(std::min(groups, driver.residents()), 1 / pace);
  left = residents.size();
  drainBegins = seen = now;
  executedThen = executed;
}

void LaunchSample::drains(Clocks now, uint64_t executed) {
  drainSpeed->add(left, double(now - seen), executed - executedThen);
  seen = now;
  executedThen = executed;
}

Clocks LaunchSample::replay(Dispatcher &dispatcher, Clocks drained) {
  drainSpeed->finish();
  std::vector<Clocks> ends;
  for (const Resident &group : residents) {
    ends.push_back(Clocks(std::max(int64_t(drainBegins), group.begun + int64_t(draw(group.index)))));
    dispatcher.groupEnded(group.computeUnit, ends.back());
  }
  const Clocks drainedInReplay = drainSpeed->drained(ends, drainBegins);
  executeRest(dispatcher);
  Clocks lastBegins = drainBegins;
  double all = 0;
  for (uint32_t xcd = 0; xcd < chip.xcds; ++xcd)
    while (dispatcher.next(xcd) != never) {
      const Dispatcher::Placement place = dispatcher.place(xcd);
      const Clocks lasts = draw(place.group);
      all += double(lasts);
      if (sampler.isBeyond(instructions[place.group]))
        beyond += double(lasts);
      ends.push_back(place.start + lasts);
      dispatcher.groupEnded(place.computeUnit, ends.back());
      lastBegins = std::max(lastBegins, place.start);
    }
  const Clocks inReplay = drainSpeed->drained(std::move(ends), lastBegins);
  beyond /= std::max(all, 1.0);
  replayed = inReplay - std::min(inReplay, drainedInReplay);
  misfit = std::max(drained, drainedInReplay) - std::min(drained, drainedInReplay);
  return drained + replayed;
}

/// While the L2s have room, each workgroup after the first round adds the same number of changed lines (workgroups may
/// also write the same lines again). After that, each new line evicts one.
double LaunchSample::changedTimes(const MemorySystem &memory) const {
  const uint64_t changed = memory.changedLines();
  if (!enough || changed <= changedByFirstRound)
    return 1;
  const double ofEach = double(changed - changedByFirstRound) / double(simulated - driver.residents());
  const double filledByEach = double(memory.counters().l2Misses) / double(simulated);
  const double lines = double(chip.l2Bytes) * chip.xcds / chip.l2LineBytes;
  const double find = std::min(double(groups - simulated), lines / filledByEach - double(simulated));
  return 1 + ofEach * std::max(find, 0.0) / double(changed);
}

void LaunchSample::describe(LaunchPrediction &prediction, double skipped) const {
  prediction.sample = {groups, groups, 1, prediction.ns(), prediction.ns()};
  if (!enough)
    return;
  const double all = std::accumulate(instructions.begin(), instructions.end(), 0.0);
  const double factor = all / double(std::max<uint64_t>(prediction.counters.instructions(), 1));
  const Clocks launchClocks = prediction.counters.launchClocks; // the dispatcher's, for all workgroups
  scale(prediction.counters, factor);
  prediction.counters.launchClocks = launchClocks;
  scale(prediction.memory, factor);
  scale(prediction.stalls, factor);
  prediction.counters.workgroups = groups;
  prediction.counters.waves = groups * driver.launch().wavesPerGroup;
  // The uncertainty of the strata's means, the remaining drift of rounds when the patience ended, and half of the
  // difference between the simulated drain and its own replay, as the launch's end is similar to that drain but not
  // equal.
  const double open = double(replayed) * (sampler.uncertainty() + sampler.drift() + beyondError * beyond +
                                          (cachesFill ? fillError : replayError));
  const double half = (replayed ? open + double(misfit) / 2 : 0) + skipped;
  prediction.sample.simulated = simulated;
  prediction.sample.strata = sampler.strata();
  prediction.sample.low -= half * 1000 / prediction.clockMhz;
  prediction.sample.high += half * 1000 / prediction.clockMhz;
}

} // namespace nstf::emulator::timing
