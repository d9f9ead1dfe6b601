#include "runtime/emulator/run/Scheduler.h"
#include "runtime/emulator/device/DeviceModel.h"
#include "runtime/emulator/instructions/Monitor.h"
#include "runtime/emulator/run/Stall.h"
#include "runtime/emulator/run/Statistics.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <numeric>
#include <random>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <thread>

namespace nstf::emulator {
namespace {

using ActiveGroups = std::vector<std::unique_ptr<ResidentGroup>>;

/// Workgroups that wait for others have short turns.
constexpr uint32_t fuelOfWaiting = 256;

/// CPU time of this thread in nanoseconds.
uint64_t threadTime() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return uint64_t(time.tv_sec) * 1'000'000'000 + uint64_t(time.tv_nsec);
}

/// The arena for this number of threads. It persists: workers that just left it are reused without being woken.
tbb::task_arena &arenaOf(unsigned threads) {
  static std::mutex mutex;
  static std::map<unsigned, std::unique_ptr<tbb::task_arena>> arenas;
  std::lock_guard lock(mutex);
  std::unique_ptr<tbb::task_arena> &arena = arenas[threads];
  if (!arena)
    arena = std::make_unique<tbb::task_arena>(int(threads));
  return *arena;
}

/// The workgroups in random order, if one is requested.
std::vector<uint64_t> shuffle(const LaunchDriver &driver, std::span<const uint64_t> some) {
  if (!driver.options().shuffle)
    return {};
  std::vector<uint64_t> order(some.begin(), some.end());
  if (some.empty()) {
    order.resize(driver.groups());
    std::iota(order.begin(), order.end(), 0);
  }
  std::shuffle(order.begin(), order.end(), std::mt19937_64(*driver.options().shuffle));
  return order;
}

} // namespace

unsigned usableThreads(unsigned wanted) {
  static const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  return wanted ? std::min(wanted, cores) : cores;
}

Scheduler::Scheduler(LaunchDriver &driver, unsigned threads) : Scheduler(driver, threads, {}, nullptr) {}

Scheduler::Scheduler(LaunchDriver &driver, unsigned threads, std::span<const uint64_t> some, Ended ended)
    : driver(driver), options(driver.options()), shuffled(shuffle(driver, some)),
      some(shuffled.empty() ? some : shuffled), ended(std::move(ended)),
      groups(this->some.empty() ? driver.groups() : this->some.size()), threads(threads) {}

std::unique_ptr<ResidentGroup> Scheduler::admit(ExecutionCounters *counters) {
  uint64_t index;
  {
    std::unique_lock lock = lockShared();
    if (next >= groups || next - done >= driver.residents())
      return nullptr;
    index = some.empty() ? next : some[next];
    ++next;
  }
  std::unique_ptr<ResidentGroup> resident = driver.begin(index);
  Workgroup &group = resident->group;
  group.counters = counters;
  group.steps = driver.steps();
  group.fuel = fuelOfTurn;
  group.monitor = options.monitor;
  if (group.monitor) {
    group.monitor->groupBegins(group);
    for (Wave *wave : group.waves)
      group.monitor->waveBegins(*wave);
  }
  return resident;
}

void Scheduler::retire(std::unique_ptr<ResidentGroup> resident) {
  if (options.monitor)
    options.monitor->groupEnds(resident->group);
  const uint64_t group = resident->group.index;
  const uint64_t instructions = resident->group.counters ? resident->group.counters->takeNew() : 0;
  if (options.executed)
    *options.executed += instructions;
  driver.retire(std::move(resident));
  std::unique_lock lock = lockShared();
  ++done;
  if (ended)
    ended(group, instructions);
  if (options.progress)
    options.progress(done, groups);
}

void Scheduler::fail(uint64_t index, std::exception_ptr exception) {
  std::lock_guard lock(mutex);
  next = groups;
  if (index < faultyGroup) {
    faultyGroup = index;
    fault = exception;
  }
}

/// One host thread of the launch.
class Scheduler::Worker {
public:
  explicit Worker(Scheduler &scheduler)
      : scheduler(scheduler), counters(scheduler.options.statistics || scheduler.ended
                                           ? std::make_unique<ExecutionCounters>(scheduler.driver.model().ldsBanks)
                                           : nullptr) {
    std::lock_guard lock(scheduler.stallMutex);
    scheduler.working.push_back(this);
  }
  ~Worker() {
    std::lock_guard lock(scheduler.stallMutex);
    std::erase(scheduler.working, this);
    scheduler.stallEnds.notify_all(); // all the others may be waiting
  }

  /// Runs until no workgroup is left, or until one of lower number has faulted.
  void run() {
    while (true) {
      size_t wanted = active.empty() ? 1 : more;
      bool admitted = false;
      while (wanted && admit()) {
        --wanted;
        admitted = true;
      }
      if (active.empty())
        break;
      if (still && !admitted && (scheduler.options.alone || waitsForWavesLong()))
        scheduler.suspect();
      round();
    }
    if (scheduler.options.statistics) {
      std::lock_guard lock(scheduler.mutex);
      counters->addTo(*scheduler.options.statistics);
    }
  }

  ActiveGroups active;

private:
  bool admit() {
    auto resident = scheduler.admit(counters.get());
    if (!resident)
      return false;
    if (waitingRounds)
      resident->group.fuel = fuelOfWaiting;
    active.push_back(std::move(resident));
    return true;
  }

  /// Reports a workgroup that stops before its end; null if it has ended.
  void stop(std::unique_ptr<ResidentGroup> resident) {
    if (resident && scheduler.options.monitor)
      scheduler.options.monitor->groupStops(resident->group);
  }

  /// A turn for each workgroup. After a fault, workgroups of lower numbers continue as long as they make progress: the
  /// fault of the lowest-numbered workgroup is reported.
  void round() {
    bool moved = false;
    still = true;
    for (std::unique_ptr<ResidentGroup> &resident : active) {
      const uint64_t index = resident->group.index;
      if (scheduler.failedBelow(index)) {
        stop(std::move(resident));
        continue;
      }
      try {
        checkEnd();
        Turn turn = resident->run();
        moved |= turn != Turn::Yielded;
        if (turn == Turn::Ended)
          scheduler.retire(std::move(resident));
      } catch (...) {
        scheduler.fail(index, std::current_exception());
        stop(std::move(resident));
      }
    }
    std::erase(active, nullptr);
    if (!moved && scheduler.faultyGroup != UINT64_MAX) // they may be waiting for the workgroup that faulted
      for (; !active.empty(); active.pop_back())
        stop(std::move(active.back()));
    decideAboutMore(moved);
  }

  /// Decides how many more workgroups to start. Waves whose state is unchanged since the previous turn only wait, so
  /// others start at once. If states change, the waves work, or count while they wait, so others start only after many
  /// rounds.
  void decideAboutMore(bool moved) {
    more = 0;
    if (moved || active.empty()) {
      waitingRounds = 0;
      waitsSince.reset();
      still = false;
      return;
    }
    for (auto &resident : active) {
      resident->group.fuel = fuelOfWaiting;
      uint64_t state = getState(resident->group);
      still &= state == resident->state;
      resident->state = state;
    }
    ++waitingRounds;
    if (still || waitingRounds >= 16 * active.size())
      more = active.size();
  }

  /// Whether all have waited for longer than waves that others release.
  bool waitsForWavesLong() {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds unsuspicious(20);
    if (!std::ranges::all_of(active, [](const auto &resident) { return waitsForWaves(resident->group); })) {
      waitsSince.reset();
      return false;
    }
    if (!waitsSince)
      waitsSince = Clock::now();
    return Clock::now() - *waitsSince > unsuspicious;
  }

  /// Called before every turn, so that a launch of many short workgroups also ends.
  void checkEnd() {
    const std::string why = scheduler.driver.mustEnd();
    if (why.empty())
      return;
    std::vector<const ResidentGroup *> standing;
    for (const auto &resident : active)
      if (resident)
        standing.push_back(resident.get());
    throw stoppedFault(standing, why);
  }

  Scheduler &scheduler;
  std::unique_ptr<ExecutionCounters> counters;
  size_t more = 0;            ///< workgroups to take in addition to the active ones
  uint64_t waitingRounds = 0; ///< since a workgroup last made progress
  bool still = false;         ///< nothing changed in the last round
  std::optional<std::chrono::steady_clock::time_point> waitsSince; ///< when all waves began to wait for waves
};

void Scheduler::suspect() {
  std::unique_lock lock(stallMutex);
  const uint64_t seen = stallsSeen;
  ++suspecting;
  auto decided = [&] { return stallsSeen != seen || suspecting == working.size(); };
  if (options.alone) {
    stallEnds.wait(lock, decided);
  } else if (!stallEnds.wait_for(lock, std::chrono::milliseconds(10), decided)) {
    --suspecting; // the others may be waiting for this worker
    return;
  }
  if (stallsSeen != seen)
    return;
  lookIntoStall();
  ++stallsSeen;
  suspecting = 0;
  stallEnds.notify_all();
}

void Scheduler::lookIntoStall() {
  std::vector<ResidentGroup *> all;
  for (Worker *worker : working)
    for (auto &resident : worker->active)
      all.push_back(resident.get());
  std::ranges::sort(all, {}, [](const ResidentGroup *resident) { return resident->group.index; });
  try {
    if (options.alone ? neverMoves(all) : waitForEachOther(all))
      throw stoppedFault(all, "no wave can make progress: all wait for what never comes");
  } catch (...) {
    fail(all.front()->group.index, std::current_exception());
  }
}

uint64_t Scheduler::run() {
  auto work = [&](unsigned) {
    uint64_t start = threadTime();
    Worker(*this).run();
    time += threadTime() - start;
  };
  if (threads == 1)
    work(0);
  else
    arenaOf(threads).execute([&] { tbb::parallel_for(0u, threads, work, tbb::simple_partitioner()); });
  if (fault)
    std::rethrow_exception(fault);
  return time;
}

} // namespace nstf::emulator
