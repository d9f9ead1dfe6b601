#include "runtime/emulator/timing/timeline/DeviceTimeline.h"
#include "runtime/emulator/timing/chip/ChipTiming.h"

#include <algorithm>

namespace nstf::emulator::timing {

SubmissionCosts SubmissionCosts::of(const ChipTiming &chip) {
  // The chip's measured periods of empty kernels include the kernel itself: one slot's turnaround.
  auto without = [&](double period) { return std::max(period - chip.slotTurnaroundNs, 0.0); };
  return {.launch = chip.launchNs,
          .gap = without(chip.kernelGapNs),
          .graphNode = without(chip.graphNodeNs),
          .copyStart = chip.copyLaunchNs,
          .hostLink = chip.hostBandwidth,
          .deviceCopy = chip.hbmCopyBandwidth,
          .deviceFill = chip.hbmWriteBandwidth,
          .stagedBytes = chip.stagedCopyBytes,
          .staging = chip.stagingBandwidth};
}

TimedOperation TimedOperation::kernel(double nanoseconds, double computeUnits, double memoryBandwidth) {
  TimedOperation operation{Kind::Kernel, {nanoseconds}};
  operation.work.taking(Resource::ComputeUnits, std::clamp(computeUnits, 0.0, 1.0));
  operation.work.taking(Resource::MemoryBandwidth, std::clamp(memoryBandwidth, 0.0, 1.0));
  return operation;
}

TimedOperation TimedOperation::copy(const SubmissionCosts &costs, uint64_t bytes, CopyDirection direction,
                                    HostPages pages) {
  const bool isStaged = pages == HostPages::Pageable && bytes <= costs.stagedBytes;
  const double link = double(bytes) / costs.hostLink + (isStaged ? double(bytes) / costs.staging : 0);
  switch (direction) {
  case CopyDirection::HostToDevice:
    return {Kind::Transfer, Work{link}.taking(Resource::HostToDevice, 1)};
  case CopyDirection::DeviceToHost:
    return {Kind::Transfer, Work{link}.taking(Resource::DeviceToHost, 1)};
  case CopyDirection::OnDevice:
    return {Kind::Transfer, Work{2 * double(bytes) / costs.deviceCopy}.taking(Resource::MemoryBandwidth, 1)};
  case CopyDirection::OnHost: // takes only the host's own time
    return {};
  }
  return {};
}

TimedOperation TimedOperation::fill(const SubmissionCosts &costs, uint64_t bytes) {
  return {Kind::Transfer, Work{double(bytes) / costs.deviceFill}.taking(Resource::MemoryBandwidth, 1)};
}

std::vector<DeviceTimeline::Task> DeviceTimeline::before(const Queue &queue) const {
  std::vector<Task> tasks = {queue.last};
  if (queue.kind == Queue::Kind::Null)
    tasks.insert(tasks.end(), sinceNull.begin(), sinceNull.end());
  else if (queue.kind == Queue::Kind::Blocking)
    tasks.push_back(lastOfNull);
  return tasks;
}

TaskTimeline::Delay DeviceTimeline::getDelay(TimedOperation::Kind kind) const {
  switch (kind) {
  case TimedOperation::Kind::Kernel:
    return {costs.launch, costs.gap};
  case TimedOperation::Kind::Transfer:
    return {costs.copyStart, costs.gap};
  case TimedOperation::Kind::Marker:
    break;
  }
  return {};
}

void DeviceTimeline::append(Queue &queue, Task task) {
  if (queue.kind == Queue::Kind::Null) {
    sinceNull.clear();
    lastOfNull = task;
  } else if (queue.kind == Queue::Kind::Blocking) {
    std::erase(sinceNull, queue.last);
    sinceNull.push_back(task);
  }
  queue.last = std::move(task);
}

DeviceTimeline::Task DeviceTimeline::submit(Queue &queue, TimedOperation operation) {
  operation.work.priority = queue.priority;
  Task task = tasks.add(before(queue), getDelay(operation.kind), operation.work);
  append(queue, task);
  return task;
}

void DeviceTimeline::submitGraph(Queue &queue, std::span<const TimedNode> graph) {
  const std::vector<Task> earlier = before(queue);
  std::vector<Task> nodes;
  std::vector<bool> isLeaf(graph.size(), true);
  for (const TimedNode &node : graph) {
    TaskTimeline::Delay delay = getDelay(node.operation.kind);
    std::vector<Task> after;
    for (size_t index : node.behind) {
      after.push_back(nodes[index]);
      isLeaf[index] = false;
    }
    if (after.empty())
      after = earlier;
    else // the host submitted the graph, not the node
      delay = {0, node.operation.kind == TimedOperation::Kind::Marker ? 0 : costs.graphNode};
    Work work = node.operation.work;
    work.priority = queue.priority;
    nodes.push_back(tasks.add(after, delay, work));
  }
  std::vector<Task> leaves;
  if (graph.empty())
    leaves = earlier;
  for (size_t i = 0; i < nodes.size(); ++i)
    if (isLeaf[i])
      leaves.push_back(nodes[i]);
  append(queue, tasks.add(leaves, {}, {}));
}

void DeviceTimeline::waitFor(Queue &queue, const Task &event) {
  const Task both[] = {queue.last, event};
  append(queue, tasks.add(both, {}, {}));
}

void DeviceTimeline::synchronize(const Queue &queue) {
  for (const Task &task : before(queue))
    tasks.wait(task);
}

} // namespace nstf::emulator::timing
