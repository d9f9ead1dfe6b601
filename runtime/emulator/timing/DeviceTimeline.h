// HIP's streams, events and graphs in predicted time: in which order work of a program runs on a device, and when.
//
// What a launch takes is predicted elsewhere (TimedLaunch.h); here it is put behind what it has to wait for. Streams
// and a graph's branches overlap as far as their dependences and the device's resources allow (TaskTimeline.h). Calls
// of the host take no time, only its waiting does.
#pragma once

#include "runtime/emulator/timing/TaskTimeline.h"

namespace nstf::emulator::timing {

struct ChipTiming;

/// What getting work to begin costs, in nanoseconds, and how fast copies go, in bytes a nanosecond (GB/s).
struct SubmissionCosts {
  double launch = 0;                     ///< from the host's call to the first workgroup of an idle device
  double gap = 0;                        ///< from the end of one task of a stream to the next one's begin
  double graphNode = 0;                  ///< the same between nodes of a graph
  double copyStart = 0;                  ///< of a copy or fill, from the host's call
  double hostLink = 1;                   ///< one direction
  double deviceCopy = 1, deviceFill = 1; ///< bytes read and written together, bytes written
  uint64_t stagedBytes = 0;              ///< the largest copy of pageable memory that the host stages
  double staging = 1;                    ///< the host's part of such a copy

  static SubmissionCosts of(const ChipTiming &chip);
};

enum class CopyDirection : uint8_t { HostToDevice, DeviceToHost, OnDevice, OnHost };
/// What the host's side of a copy is: the runtime's own and registered memory is pinned, other is pageable.
enum class HostPages : uint8_t { Pinned, Pageable };

/// Something that a stream or a graph's node is asked to do; a marker takes no time.
struct TimedOperation {
  enum class Kind : uint8_t { Kernel, Transfer, Marker } kind = Kind::Marker;
  Work work = {};

  static TimedOperation kernel(double nanoseconds, double computeUnits, double memoryBandwidth);
  static TimedOperation copy(const SubmissionCosts &costs, uint64_t bytes, CopyDirection direction, HostPages pages);
  static TimedOperation fill(const SubmissionCosts &costs, uint64_t bytes);
};

/// A node of a graph and the earlier nodes it is behind.
struct TimedNode {
  TimedOperation operation;
  std::vector<size_t> behind;
};

class DeviceTimeline {
public:
  using Task = TaskTimeline::Task;
  /// A stream's place in the order of work.
  struct Queue {
    /// The null stream and those that block wait for each other; hipStreamNonBlocking waits for events only.
    enum class Kind : uint8_t { Null, Blocking, NonBlocking } kind = Kind::Blocking;
    int priority = 0;
    Task last = nullptr;
  };

  explicit DeviceTimeline(const SubmissionCosts &costs) : costs(costs) {}

  /// Puts an operation behind what the queue has.
  Task submit(Queue &queue, TimedOperation operation);
  /// Puts all nodes of a graph there. Nodes stand behind those they depend on.
  void submitGraph(Queue &queue, std::span<const TimedNode> graph);
  /// hipEventRecord: a task that ends when what the queue has is done.
  Task record(Queue &queue) { return submit(queue, {}); }
  /// hipStreamWaitEvent: what comes next on the queue waits for the task too.
  void waitFor(Queue &queue, const Task &event);

  /// The host waits; the result is the task's end in nanoseconds.
  double synchronize(const Task &task) { return tasks.wait(task); }
  void synchronize(const Queue &queue);
  void synchronize() { tasks.waitForAll(); }
  double host() const { return tasks.host(); }

private:
  std::vector<Task> before(const Queue &queue) const;
  TaskTimeline::Delay delayOf(TimedOperation::Kind kind) const;
  void append(Queue &queue, Task task);

  SubmissionCosts costs;
  TaskTimeline tasks;
  Task lastOfNull;
  std::vector<Task> sinceNull; ///< the last task of each stream that the null stream's next one waits for
};

} // namespace nstf::emulator::timing
