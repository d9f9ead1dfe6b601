// Tasks of a device in predicted time: each begins behind those it depends on, and those that run share what there is.
//
// A task is known by how long it takes alone and by the share of each resource it then uses. Tasks that run at the same
// time and together want more than there is go slower: who has the higher priority, then who began first, gets what it
// wants, the next what is left. Nothing is computed before somebody waits: a task that is added later may still run
// beside one added before.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <queue>
#include <span>
#include <vector>

namespace nstf::emulator::timing {

/// What tasks share.
enum class Resource : uint8_t { ComputeUnits, MemoryBandwidth, HostToDevice, DeviceToHost };
constexpr unsigned resourceCount = 4;

struct Work {
  double nanoseconds = 0;                       ///< alone on the device
  std::array<double, resourceCount> share = {}; ///< of each resource, alone: from 0 to 1
  int priority = 0;                             ///< as HIP's: the lower number goes first

  Work &taking(Resource resource, double part) {
    share[unsigned(resource)] = part;
    return *this;
  }
};

class TaskTimeline {
public:
  struct State;
  /// A task, kept as long as somebody may ask for its end. Null: one that ended before everything.
  using Task = std::shared_ptr<State>;

  /// How long a task's start takes, in nanoseconds: counted from the host's submission and from the end of each task
  /// before it. It begins when all have passed.
  struct Delay {
    double fromHost = 0, behind = 0;
  };

  /// A task behind `after`, submitted by the host at its present time.
  Task add(std::span<const Task> after, Delay delay, const Work &work);
  /// Moves the host to the task's end, where it isn't past it, and returns the end.
  double wait(const Task &task);
  /// Moves the host to the end of every task.
  void waitForAll();
  /// The host's present: nanoseconds since the first call. Only waiting takes the host time.
  double host() const { return hostTime; }

private:
  struct Begins {
    double time;
    Task task;
    bool operator<(const Begins &other) const; // the earliest on top of a priority queue
  };
  void begin(const Task &task);
  void end(const Task &task);
  /// The speed of each running task, 1: as alone.
  std::vector<double> speeds() const;
  /// Goes on to the next begin or end of a task.
  void step();

  std::priority_queue<Begins> ready; ///< tasks whose dependences have ended
  std::vector<Task> running;         ///< in the order in which they get what they want
  double now = 0, hostTime = 0;
  uint64_t added = 0;
};

} // namespace nstf::emulator::timing
