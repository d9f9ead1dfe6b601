// Tasks of a device in predicted time: a task begins after those on which it depends; running tasks share the
// resources.
//
// A task is described by its duration when it runs alone and by the share of each resource that it then uses. If tasks
// that run at the same time need more than there is, they slow down: the task with the higher priority, then the one
// that began first, gets its full share; the next ones get the rest. Nothing is computed before the host waits, as a
// task that is added later may still run beside an earlier one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <queue>
#include <span>
#include <vector>

namespace nstf::emulator::timing {

/// Resources that tasks share.
enum class Resource : uint8_t { ComputeUnits, MemoryBandwidth, HostToDevice, DeviceToHost };
constexpr unsigned resourceCount = 4;

struct Work {
  double nanoseconds = 0;                       ///< duration alone on the device
  std::array<double, resourceCount> share = {}; ///< of each resource when alone: from 0 to 1
  int priority = 0;                             ///< as in HIP: the lower number goes first

  Work &taking(Resource resource, double part) {
    share[unsigned(resource)] = part;
    return *this;
  }
};

class TaskTimeline {
public:
  struct State;
  /// A task; kept while its end may be queried. Null: a task that ended before everything.
  using Task = std::shared_ptr<State>;

  /// The time that a task's start takes, in nanoseconds, counted from the host's submission and from the end of each
  /// task before it. The task begins when all of these have passed.
  struct Delay {
    double fromHost = 0, behind = 0;
  };

  /// Adds a task after those in `after`, submitted by the host at its present time.
  Task add(std::span<const Task> after, Delay delay, const Work &work);
  /// Moves the host's time to the task's end, unless it is past it, and returns the end.
  double wait(const Task &task);
  /// Moves the host's time to the end of every task.
  void waitForAll();
  /// The host's present time: nanoseconds since the first call. Only waits advance it.
  double host() const { return hostTime; }

private:
  struct Begins {
    double time;
    Task task;
    bool operator<(const Begins &other) const; // the earliest on top of a priority queue
  };
  void begin(const Task &task);
  void end(const Task &task);
  /// The speed of each running task; 1: as alone.
  std::vector<double> speeds() const;
  /// Advances to the next begin or end of a task.
  void step();

  std::priority_queue<Begins> ready; ///< tasks whose dependencies have ended
  std::vector<Task> running;         ///< in the order in which they get their shares
  double now = 0, hostTime = 0;
  uint64_t added = 0;
};

} // namespace nstf::emulator::timing
