#include "runtime/emulator/timing/record/Recorder.h"
#include "runtime/emulator/device/DeviceModel.h"
#include "runtime/emulator/run/LaunchOptions.h"
#include "runtime/emulator/run/RunLoop.h"
#include "runtime/emulator/timing/record/RecordingObserver.h"

#include <algorithm>

namespace nstf::emulator::timing {
namespace {

/// Fuel that no stretch uses up: a wave stops by the length of its trace.
constexpr uint32_t unlimitedFuel = ~0u;
/// Maximum number of blocks of a trace, not counting those of one more access: the trace stays small whatever waves
/// access.
constexpr size_t maxBlocks = 2048;

class ModelClock : public ClockSource {
public:
  explicit ModelClock(double mhz) : mhz(mhz) {}
  Clocks now = 0;

private:
  uint64_t coreClocks(Wave &) override { return now; }
  uint64_t realTime(Wave &) override { return uint64_t(double(now) * 100 / mhz); }
  const double mhz;
};

} // namespace

struct Recorder::Implementation {
  Implementation(LaunchDriver &driver, TimingFacts &facts, const RecorderOptions &options)
      : driver(driver), facts(facts), options(options), clock(options.clockMhz),
        accesses(facts, *driver.launch().regions, options.addressUnit, options.ldsBanks) {}

  LaunchDriver &driver;
  TimingFacts &facts;
  const RecorderOptions options;
  ModelClock clock;
  RecordedAccesses accesses;
  const Outline *outline = nullptr;
  std::unique_ptr<ExecutionCounters> counters; ///< null: no counts
  bool skips = false;
  static void dropIssued(WaveTrace &trace);
  std::vector<std::unique_ptr<RecordedGroup>> retired; ///< their buffers are reused
};

Recorder::Recorder(LaunchDriver &driver, TimingFacts &facts, const RecorderOptions &options)
    : impl(std::make_unique<Implementation>(driver, facts, options)) {
  driver.setClock(impl->clock);
  if (driver.options().statistics)
    impl->counters = std::make_unique<ExecutionCounters>(driver.model().ldsBanks);
}
Recorder::~Recorder() { impl->driver.setClock(readCounter()); }

void Recorder::follow(const Outline &outline, bool skips) {
  impl->outline = &outline;
  impl->skips = skips;
}

std::unique_ptr<RecordedGroup> Recorder::begin(uint64_t index, std::span<const ChipPlace> places) {
  std::unique_ptr<RecordedGroup> group;
  if (impl->retired.empty()) {
    group = std::make_unique<RecordedGroup>();
  } else {
    group = std::move(impl->retired.back());
    impl->retired.pop_back();
  }
  group->index = index;
  group->instructions = 0;
  group->resident = impl->driver.begin(index, places);
  group->scratch = group->resident->scratch;
  group->waves.resize(group->resident->group.waves.size());
  group->skippers.clear();
  if (impl->skips)
    group->skippers.resize(group->waves.size(), RoundSkipper(impl->facts.firstStop()));
  for (unsigned i = 0; i < group->waves.size(); ++i) {
    WaveTrace &trace = group->waves[i];
    trace.blocks.clear();
    trace.next = trace.lastTaken = trace.lastAppended = trace.left = 0;
    trace.ending = TraceEnd::More;
    trace.stoppedAt = group->resident->group.waves[i]->next->instruction;
    trace.waitedForAll = false;
  }
  return group;
}

void Recorder::retire(std::unique_ptr<RecordedGroup> group) {
  if (group->resident)
    ResidentGroup::release(std::move(group->resident));
  impl->driver.freeScratch(group->scratch);
  impl->retired.push_back(std::move(group));
}

void Recorder::addTo(ExecutionStatistics &sum) const {
  if (impl->counters)
    impl->counters->addTo(sum);
}

/// Runs a wave until it stops, for at most `room` instructions. `atStop`: the first one may be a stop.
void Recorder::run(RecordedGroup &group, unsigned number, size_t room, bool atStop) {
  WaveTrace &trace = group.waves[number];
  Wave &wave = *group.resident->group.waves[number];
  Implementation::dropIssued(trace);
  wave.fuel = unlimitedFuel;
  RecordingObserver observer(wave, trace, impl->accesses, room, maxBlocks, atStop);
  const size_t before = trace.left;
  try {
    if (impl->outline) {
      OutlineObserver outline(observer, impl->facts, *impl->outline, wave, trace,
                              impl->skips ? &group.skippers[number] : nullptr);
      runLoop(wave, outline);
      group.instructions += outline.skippedInstructions();
    } else if (ExecutionCounters *counters = impl->counters.get()) {
      runLoop(wave, [&](const MicroOp *op) {
        const bool runs = observer(op);
        if (runs)
          counters->count(wave, op);
        return runs;
      });
    } else {
      runLoop(wave, [&observer](const MicroOp *op) { return observer(op); });
    }
  } catch (const WaveFault &fault) {
    throw getFault(fault, wave);
  }
  trace.ending = wave.status == WaveStatus::Ended       ? TraceEnd::Ended
                 : wave.status == WaveStatus::AtBarrier ? TraceEnd::Barrier
                 : observer.stopped()                   ? TraceEnd::Stop
                                                        : TraceEnd::More;
  trace.stoppedAt = wave.next->instruction;
  group.instructions += trace.left - before;
  if (std::ranges::all_of(group.waves, [](const WaveTrace &t) { return t.ending == TraceEnd::Ended; }))
    ResidentGroup::release(std::move(group.resident)); // its registers can be reused
}

/// The entry taken last is kept: it may still wait for its turn.
void Recorder::Implementation::dropIssued(WaveTrace &trace) {
  constexpr size_t worthwhile = 1024;
  const size_t issued = trace.lastTaken;
  if (!trace.empty() && issued < worthwhile)
    return;
  trace.blocks.erase(trace.blocks.begin(), trace.blocks.begin() + ptrdiff_t(issued));
  trace.next -= issued;
  trace.lastAppended -= issued;
  trace.lastTaken = 0;
}

/// Opens the barrier if all waves have arrived; returns whether any wave was released.
bool Recorder::openBarrier(RecordedGroup &group) {
  bool opens = false;
  for (const WaveTrace &trace : group.waves) {
    if (trace.ending != TraceEnd::Barrier && trace.ending != TraceEnd::Ended)
      return false;
    opens |= trace.ending == TraceEnd::Barrier;
  }
  for (WaveTrace &trace : group.waves)
    if (trace.ending == TraceEnd::Barrier)
      trace.ending = TraceEnd::More;
  return opens;
}

void Recorder::fill(RecordedGroup &group, unsigned number) {
  WaveTrace &trace = group.waves[number];
  if (!impl->options.runAhead) {
    if (trace.ending == TraceEnd::Barrier)
      openBarrier(group);
    for (WaveTrace &any : group.waves)
      if (any.ending == TraceEnd::More)
        any.ending = TraceEnd::Stop;
    return;
  }
  Implementation::dropIssued(trace);
  const size_t stretch = impl->options.stretch;
  // The other waves run too, unless only for a few instructions: a workgroup that is executed leaves its registers to
  // the next one while they are in the host's caches. While any wave skips rounds, all run: the model does not see the
  // barriers at which they meet then.
  auto isWanted = [&](unsigned wave) {
    const WaveTrace &t = group.waves[wave];
    return t.ending == TraceEnd::More &&
           ((t.size() < (wave == number ? stretch : (stretch + 1) / 2) && t.blockCount() < maxBlocks) ||
            std::ranges::any_of(group.skippers, &RoundSkipper::isSkipping));
  };
  do
    for (unsigned wave = 0; wave < group.waves.size(); ++wave)
      while (isWanted(wave))
        run(group, wave, std::max<size_t>(stretch, group.waves[wave].size() + 1) - group.waves[wave].size(), false);
  while (openBarrier(group));
}

void Recorder::executeStop(RecordedGroup &group, unsigned number, Clocks now) {
  impl->clock.now = now;
  run(group, number, 1, true);
  if (WaveTrace &trace = group.waves[number]; !impl->options.runAhead && trace.ending == TraceEnd::More)
    trace.ending = TraceEnd::Stop;
}

} // namespace nstf::emulator::timing
