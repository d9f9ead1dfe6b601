// HIP's streams, events and graphs in predicted time: the order and the times in which a program's work runs on a
// device.
//
// The duration of a launch is predicted elsewhere (TimedLaunch.h). The timeline schedules each operation after those it
// depends on. Streams and branches of a graph overlap as far as dependencies and the device's resources allow
// (TaskTimeline.h). Host calls take no time; only the host's waits do.
#pragma once

#include "runtime/emulator/timing/timeline/TaskTimeline.h"

namespace nstf::emulator::timing {

struct ChipTiming;

/// The costs of starting work, in nanoseconds, and the speeds of copies, in bytes a nanosecond (GB/s).
struct SubmissionCosts {
  double launch = 0;                     ///< from the host's call to the first workgroup of an idle device
  double gap = 0;                        ///< from the end of a task of a stream to the begin of the next
  double graphNode = 0;                  ///< the same between nodes of a graph
  double copyStart = 0;                  ///< from the host's call to the begin of a copy or fill
  double hostLink = 1;                   ///< in one direction
  double deviceCopy = 1, deviceFill = 1; ///< bytes read plus bytes written; bytes written
  uint64_t stagedBytes = 0;              ///< the largest copy of pageable memory that the host stages
  double staging = 1;                    ///< speed of the host's part of such a copy

  static SubmissionCosts of(const ChipTiming &chip);
};

enum class CopyDirection : uint8_t { HostToDevice, DeviceToHost, OnDevice, OnHost };
/// Host memory of a copy: the runtime's own and registered memory is pinned, other memory is pageable.
enum class HostPages : uint8_t { Pinned, Pageable };

/// An operation of a stream or of a graph's node; a marker takes no time.
struct TimedOperation {
  enum class Kind : uint8_t { Kernel, Transfer, Marker } kind = Kind::Marker;
  Work work = {};

  static TimedOperation kernel(double nanoseconds, double computeUnits, double memoryBandwidth);
  static TimedOperation copy(const SubmissionCosts &costs, uint64_t bytes, CopyDirection direction, HostPages pages);
  static TimedOperation fill(const SubmissionCosts &costs, uint64_t bytes);
};

/// A node of a graph, and the indices of the earlier nodes on which it depends.
struct TimedNode {
  TimedOperation operation;
  std::vector<size_t> behind;
};

class DeviceTimeline {
public:
  using Task = TaskTimeline::Task;
  /// The order of a stream's work.
  struct Queue {
    /// The null stream and blocking streams wait for each other; hipStreamNonBlocking waits only for events.
    enum class Kind : uint8_t { Null, Blocking, NonBlocking } kind = Kind::Blocking;
    int priority = 0;
    Task last = nullptr;
  };

  explicit DeviceTimeline(const SubmissionCosts &costs) : costs(costs) {}

  /// Appends an operation to the queue.
  Task submit(Queue &queue, TimedOperation operation);
  /// Appends all nodes of a graph. A node comes after those on which it depends.
  void submitGraph(Queue &queue, std::span<const TimedNode> graph);
  /// hipEventRecord: a task that ends when all work of the queue so far is done.
  Task record(Queue &queue) { return submit(queue, {}); }
  /// hipStreamWaitEvent: the queue's next operation also waits for the task.
  void waitFor(Queue &queue, const Task &event);

  /// The host waits for the task. Returns the task's end in nanoseconds.
  double synchronize(const Task &task) { return tasks.wait(task); }
  void synchronize(const Queue &queue);
  void synchronize() { tasks.waitForAll(); }
  double host() const { return tasks.host(); }

private:
  std::vector<Task> before(const Queue &queue) const;
  TaskTimeline::Delay getDelay(TimedOperation::Kind kind) const;
  void append(Queue &queue, Task task);

  SubmissionCosts costs;
  TaskTimeline tasks;
  Task lastOfNull;
  std::vector<Task> sinceNull; ///< the last task of each stream for which the null stream's next task waits
};

} // namespace nstf::emulator::timing
