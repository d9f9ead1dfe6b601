#include "runtime/emulator/timing/TimedLaunch.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/device/DeviceModel.h"
#include "runtime/emulator/device/Occupancy.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/run/Dispatch.h"
#include "runtime/emulator/timing/compute_unit/ComputeUnit.h"
#include "runtime/emulator/timing/compute_unit/Dispatcher.h"
#include "runtime/emulator/timing/compute_unit/EventQueue.h"
#include "runtime/emulator/timing/compute_unit/Standstill.h"
#include "runtime/emulator/timing/memory/MemorySystem.h"
#include "runtime/emulator/timing/prediction/Limiter.h"
#include "runtime/emulator/timing/prediction/Roofline.h"
#include "runtime/emulator/timing/sample/LaunchSample.h"
#include "runtime/emulator/timing/sample/SkippedTime.h"
#include "support/Escape.h"

#include <deque>
#include <stdexcept>

namespace nstf::emulator::timing {
namespace {

/// A chip that executes one launch.
class TimedLaunch : public Ports {
public:
  TimedLaunch(LaunchDriver &driver, const ChipTiming &chip, MemorySystem &caches, const TimingOptions &options,
              double clockMhz, const support::Occupancy &occupancy);
  void run();

  Clocks end = 0; ///< of the last workgroup
  Counters counters;
  StallTable stalls;
  const LaunchSample &sampled() const { return sample; }
  /// Adds the counts of waves that the model executed; LaunchSample counts the others.
  void addTo(ExecutionStatistics &sum) const { recorder.addTo(sum); }
  /// Describes the omitted part, and scales the counters to the whole launch.
  void describe(LaunchPrediction &prediction) const;

private:
  // Ports
  AccessTimes vectorAccess(unsigned computeUnit, Clocks now, const TimingFact &fact, const MemoryRequest &request,
                           std::span<const LineAccess> lines) override;
  void prefetch(unsigned computeUnit, std::span<const LineAccess> lines) const override {
    caches.prefetch(computeUnit, lines);
  }
  Clocks scalarAccess(unsigned computeUnit, Clocks now, const TimingFact &fact,
                      std::span<const LineAccess> lines) override;
  Clocks maintain(unsigned computeUnit, Clocks now, const TimingFact &fact) override;
  Clocks instructionMiss(unsigned computeUnit, Clocks now, uint64_t address) override {
    return caches.instructionMiss(computeUnit, now, address);
  }
  void fill(TimedGroup &group, unsigned wave) override {
    recorder.fill(*group.recorded, wave);
    coverNewCode();
  }
  void executeStop(TimedGroup &group, unsigned wave, Clocks now) override;
  void skipped(uint32_t branch, const SkippedRounds &rounds, Clocks measured, Clocks before) override {
    skippedTime.add(branch, rounds, measured, before, residentWaves);
  }
  void groupEnded(TimedGroup &group, Clocks drained) override;

  /// Waves that were executed may have reached new code.
  void coverNewCode() {
    facts.cover();
    stalls.resize(facts.size());
  }
  void planSample(const TimingOptions &options);
  void place(uint32_t xcd);
  void runUnit(uint32_t unit, Clocks now);
  void retireEnded();
  void checkEnd() const;
  uint64_t executed() const { return counters.instructions() + skippedTime.instructions(); }
  void prefetchAfter(Clocks now);
  [[noreturn]] void stop(const std::string &why) const;

  LaunchDriver &driver;
  const ChipTiming &chip;
  MemorySystem &caches;
  TimingFacts facts;
  Recorder recorder;
  Dispatcher dispatcher;
  LaunchSample sample;
  std::optional<Outline> outline; ///< executed by waves instead of the whole kernel
  SkippedTime skippedTime;
  Clocks skippedBeforeDrain = 0;
  uint64_t residentWaves = 0;
  EventQueue queue; ///< XCDs, then compute units
  std::deque<ComputeUnit> units;
  std::vector<std::unique_ptr<TimedGroup>> groups; ///< the largest number ever resident
  std::vector<TimedGroup *> spare, ended;
  std::vector<ChipPlace> places; ///< of the group that begins
  uint64_t done = 0;             ///< workgroups
  Standstill standstill;
};

AccessKind kindOf(const TimingFact &fact) {
  if (fact.is(TimingFact::atomic))
    return fact.is(TimingFact::load) ? AccessKind::AtomicReturn : AccessKind::Atomic;
  return fact.is(TimingFact::store) ? AccessKind::Store : AccessKind::Load;
}

TimedLaunch::TimedLaunch(LaunchDriver &driver, const ChipTiming &chip, MemorySystem &caches,
                         const TimingOptions &options, double clockMhz, const support::Occupancy &occupancy)
    : driver(driver), chip(chip), caches(caches), facts(driver.launch()),
      recorder(driver, facts,
               {.runAhead = options.runAhead,
                .addressUnit = {.lineBytes = chip.l1LineBytes,
                                .lanesPerClock = chip.vmemLanesPerClock,
                                .bytesPerClock = chip.vmemBytesPerClock},
                .ldsBanks = chip.ldsBanks,
                .clockMhz = clockMhz}),
      dispatcher(chip, clockMhz, driver.groups(), driver.launch().wavesPerGroup, uint32_t(occupancy.workgroups)),
      sample(driver, chip, facts, options), queue(chip.xcds + chip.computeUnits), standstill(driver.launch(), groups) {
  coverNewCode();
  for (uint32_t i = 0; i < chip.computeUnits; ++i)
    units.emplace_back(i, chip, facts, caches.instructions(i), *this, stalls, counters);
  planSample(options);
}

/// If results of a sampled launch are not wanted, only the necessary instructions are executed.
void TimedLaunch::planSample(const TimingOptions &options) {
  if (!options.sampledOnly || !options.runAhead || driver.steps())
    return;
  outline = facts.outline();
  const LaunchSample::Size size = outline ? sample.probe(*outline) : LaunchSample::Size::Within;
  if (size != LaunchSample::Size::Within)
    recorder.follow(*outline, size == LaunchSample::Size::BeyondAlike);
}

void TimedLaunch::run() {
  // An event may be thousands of instructions, in a loop without accesses; with a step limit it is only a few.
  const uint64_t betweenChecks = driver.options().stepLimit ? 1 : 1 << 12;
  uint64_t events = 0, nextCheck = betweenChecks;
  Clocks prefetchedAt = never;
  for (uint32_t xcd = 0; xcd < chip.xcds; ++xcd)
    queue.set(xcd, dispatcher.next(xcd));
  for (Clocks now; (now = queue.time()) != never;) {
    if (sample.isDraining()) {
      sample.drains(now + skippedTime.clocks() - skippedBeforeDrain, executed());
    } else if (sample.suffices()) {
      skippedBeforeDrain = skippedTime.clocks();
      sample.beginDrain(groups, now, skippedBeforeDrain, executed());
      for (uint32_t xcd = 0; xcd < chip.xcds; ++xcd)
        queue.set(xcd, never);
      continue;
    }
    if (now != prefetchedAt) {
      prefetchedAt = now;
      prefetchAfter(now);
    }
    if (const uint32_t actor = queue.actor(); actor < chip.xcds)
      place(actor);
    else
      runUnit(actor - chip.xcds, now);
    retireEnded();
    if (const uint64_t work = ++events + counters.instructions(); work >= nextCheck) {
      checkEnd();
      nextCheck = work + betweenChecks;
    }
  }
  if (sample.isDraining()) {
    if (driver.steps()) // the rest of the launch executes with the remaining budget
      driver.steps()->take(counters.instructions());
    end = sample.replay(dispatcher, end + skippedTime.clocks() - skippedBeforeDrain) + skippedBeforeDrain;
  } else {
    end += skippedTime.clocks();
  }
  counters.launchClocks = Clocks(dispatcher.busyClocks());
}

void TimedLaunch::describe(LaunchPrediction &prediction) const {
  constexpr double skipError = 0.01; // share of the skipped time, even if rounds are alike
  prediction.counters = counters;
  prediction.memory = caches.counters();
  prediction.stalls = stalls;
  skippedTime.complete(facts, prediction.counters, prediction.memory, prediction.stalls);
  sample.describe(prediction, (skipError + skippedTime.drift() / 2) * double(skippedTime.clocks()));
}

/// Prefetches on the host the data of the actors that act next: first their waves and next instructions, then the data
/// that these look up.
void TimedLaunch::prefetchAfter(Clocks now) {
  auto forEachUnit = [&](auto function) {
    if (now = queue.timeAfter(now); now == never)
      return false;
    queue.forEachAt(now, [&](uint32_t actor) {
      if (actor >= chip.xcds)
        function(units[actor - chip.xcds]);
    });
    return true;
  };
  if (forEachUnit([](const ComputeUnit &unit) { unit.prefetchAccess(); }))
    forEachUnit([](const ComputeUnit &unit) { unit.prefetchWaves(); });
}

void TimedLaunch::place(uint32_t xcd) {
  const Dispatcher::Placement placement = dispatcher.place(xcd);
  queue.set(xcd, dispatcher.next(xcd));
  ComputeUnit &unit = units[placement.computeUnit];
  places.resize(driver.launch().wavesPerGroup);
  for (uint32_t i = 0; i < places.size(); ++i)
    places[i] = {xcd, placement.computeUnit % chip.computeUnitsPerXcd(), unit.simdFor(i), unit.slotFor(i)};
  if (spare.empty())
    spare.push_back(groups.emplace_back(std::make_unique<TimedGroup>()).get());
  TimedGroup &group = *spare.back();
  spare.pop_back();
  standstill.progress();
  group.recorded = recorder.begin(placement.group, places);
  group.waves.assign(group.recorded->waves.size(), TimedWave());
  group.skippedBefore = skippedTime.clocks();
  residentWaves += group.waves.size();
  unit.place(group, placement.start, dispatcher.clocksPerWave());
  queue.set(chip.xcds + placement.computeUnit, unit.next());
}

void TimedLaunch::runUnit(uint32_t number, Clocks now) {
  ComputeUnit &unit = units[number];
  constexpr Clocks ahead = 1 << 16;       // a loop without accesses may never end
  constexpr Clocks aheadInDrain = 1 << 8; // instructions executed there count for the groups left now
  unit.horizon = sample.isDraining() ? now + aheadInDrain : std::min(dispatcher.earliestAt(number), now + ahead);
  queue.set(chip.xcds + number, unit.run(now));
}

void TimedLaunch::groupEnded(TimedGroup &group, Clocks drained) {
  end = std::max(end, drained);
  sample.groupEnded(group, drained - group.begun + skippedTime.clocks() - group.skippedBefore, caches);
  residentWaves -= group.waves.size();
  ended.push_back(&group);
  if (sample.isDraining())
    return;
  const uint32_t xcd = group.computeUnit / chip.computeUnitsPerXcd();
  dispatcher.groupEnded(group.computeUnit, drained);
  queue.set(xcd, dispatcher.next(xcd));
  ComputeUnit &unit = units[group.computeUnit];
  unit.horizon = std::min(unit.horizon, dispatcher.earliestAt(group.computeUnit));
}

void TimedLaunch::retireEnded() {
  for (TimedGroup *group : ended) {
    ++done;
    if (driver.options().progress)
      driver.options().progress(done, driver.groups());
    standstill.progress();
    recorder.retire(std::move(group->recorded));
    std::vector<TimedWave> waves = std::move(group->waves); // its memory is reused for the next one
    waves.clear();
    *group = TimedGroup();
    group->waves = std::move(waves);
    spare.push_back(group);
  }
  ended.clear();
}

void TimedLaunch::executeStop(TimedGroup &group, unsigned wave, Clocks now) {
  recorder.executeStop(*group.recorded, wave, now);
  coverNewCode();
  const bool isStuck = driver.options().alone ? standstill.executed(group, wave)
                                              : standstill.waitsForWaves(group, wave) && !dispatcher.places();
  if (isStuck)
    stop("no wave can make progress: all wait for what never comes" +
         (dispatcher.left() ? ", and workgroups find no place: " + std::to_string(dispatcher.left()) : ""));
}

void TimedLaunch::checkEnd() const {
  if (const std::string why = driver.mustEnd(); !why.empty())
    stop(why);
  const uint64_t limit = driver.options().stepLimit;
  if (limit && counters.instructions() > limit)
    stop("the launch has executed as many instructions as it may (step limit)");
}

void TimedLaunch::stop(const std::string &why) const {
  std::vector<const ResidentGroup *> standing;
  for (const std::unique_ptr<TimedGroup> &group : groups)
    if (group->recorded && !group->recorded->isExecuted())
      standing.push_back(&group->recorded->execution());
  throw stoppedFault(standing, why);
}

AccessTimes TimedLaunch::vectorAccess(unsigned computeUnit, Clocks now, const TimingFact &fact,
                                      const MemoryRequest &request, std::span<const LineAccess> lines) {
  const MemoryReply reply = caches.vectorAccess(computeUnit, now,
                                                {.kind = kindOf(fact),
                                                 .policy = fact.policy,
                                                 .lines = lines,
                                                 .addressClocks = request.addressClocks,
                                                 .dataBytes = uint32_t(request.lanes) * fact.bytes});
  return {reply.done, reply.issueFree, reply.placeWait};
}

Clocks TimedLaunch::scalarAccess(unsigned computeUnit, Clocks now, const TimingFact &fact,
                                 std::span<const LineAccess> lines) {
  return caches.scalarAccess(computeUnit, now, kindOf(fact), lines);
}

Clocks TimedLaunch::maintain(unsigned computeUnit, Clocks now, const TimingFact &fact) {
  Clocks done = now;
  if (fact.is(TimingFact::writeBack))
    done = caches.writeBack(computeUnit, now, fact.policy);
  if (fact.is(TimingFact::invalidate))
    done = std::max(done, fact.unit == Unit::ScalarMemory ? caches.invalidateScalar(computeUnit, now)
                                                          : caches.invalidate(computeUnit, now, fact.policy));
  return done;
}

/// The target's model, with the capacities of the chip's compute units.
DeviceModel modelOf(const Target &target, const ChipTiming &chip) {
  DeviceModel model = DeviceModel::of(target.name);
  model.simds = chip.simdsPerComputeUnit;
  model.ldsBytes = chip.ldsBytes;
  model.ldsBanks = chip.ldsBanks;
  return model;
}

[[noreturn]] void refuse(const Kernel &kernel, const std::string &why) {
  throw std::runtime_error(support::escape("kernel '" + kernel.name + "': " + why, support::longLimit));
}

} // namespace

LaunchPrediction predict(const Target &target, Memory &memory, const LaunchArguments &arguments,
                         const LaunchOptions &options, const ChipTiming &chip, MemorySystem &caches,
                         const TimingOptions &timing) {
  LaunchPrediction prediction;
  prediction.clockMhz = timing.clockMhz ? timing.clockMhz : chip.peakClock;
  prediction.overheadNs = chip.launchNs;
  const Kernel &kernel = *arguments.kernel;
  const uint32_t items = arguments.block[0] * arguments.block[1] * arguments.block[2];
  const DeviceModel model = modelOf(target, chip);
  LaunchOptions ofChip = options;
  ofChip.model = &model;
  prediction.occupancy = getOccupancy(model, kernel, std::max(items, 1u), arguments.dynamicLds);
  const uint64_t residents = uint64_t(prediction.occupancy.workgroups) * chip.computeUnits;
  LaunchDriver driver(target, memory, arguments, ofChip, residents);
  if (!residents)
    refuse(kernel, getMisfit(model, kernel, items, arguments.dynamicLds));

  caches.beginLaunch(prediction.clockMhz);
  if (driver.groups()) {
    TimedLaunch launch(driver, chip, caches, timing, prediction.clockMhz, prediction.occupancy);
    launch.run();
    driver.finish();
    if (options.statistics)
      launch.addTo(*options.statistics);
    prediction.clocks = caches.endKernel(launch.end, launch.sampled().changedTimes(caches));
    prediction.executionNs = double(prediction.clocks) * 1000 / prediction.clockMhz;
    launch.describe(prediction);
  }
  prediction.counters.clocks = prediction.clocks;
  findLimiter(prediction, chip);
  prediction.roofline = getRoofline(prediction, *driver.launch().program, model, chip);
  return prediction;
}

} // namespace nstf::emulator::timing
