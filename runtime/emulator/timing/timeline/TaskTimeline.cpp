#include "runtime/emulator/timing/timeline/TaskTimeline.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace nstf::emulator::timing {

struct TaskTimeline::State {
  Work work;
  Delay delay;
  uint64_t number = 0; ///< in the order of submission
  uint64_t waitingFor = 0;
  std::vector<Task> dependents;
  double begin = 0, end = 0;
  double left = 0; ///< nanoseconds of work, at full speed
  bool ended = false;
};

namespace {
/// A smaller share of a resource counts as zero: it is a rounding error.
constexpr double minShare = 1e-9;

auto getOrder(const TaskTimeline::State &task) { return std::tuple(task.work.priority, task.begin, task.number); }
} // namespace

bool TaskTimeline::Begins::operator<(const Begins &other) const {
  return std::tuple(time, task->number) > std::tuple(other.time, other.task->number);
}

TaskTimeline::Task TaskTimeline::add(std::span<const Task> after, Delay delay, const Work &work) {
  auto task = std::make_shared<State>();
  task->work = work;
  task->left = work.nanoseconds;
  task->delay = delay;
  task->number = added++;
  task->begin = hostTime + delay.fromHost;
  for (const Task &before : after) {
    if (!before)
      continue;
    if (before->ended) {
      task->begin = std::max(task->begin, before->end + delay.behind);
    } else {
      before->dependents.push_back(task);
      ++task->waitingFor;
    }
  }
  if (!task->waitingFor)
    ready.push({task->begin, task});
  return task;
}

double TaskTimeline::wait(const Task &task) {
  if (!task)
    return 0;
  while (!task->ended)
    step();
  hostTime = std::max(hostTime, task->end);
  return task->end;
}

void TaskTimeline::waitForAll() {
  while (!ready.empty() || !running.empty())
    step();
  hostTime = std::max(hostTime, now);
}

void TaskTimeline::begin(const Task &task) {
  if (task->left <= 0)
    return end(task);
  auto place = std::ranges::upper_bound(running, getOrder(*task), {}, [](const Task &one) { return getOrder(*one); });
  running.insert(place, task);
}

void TaskTimeline::end(const Task &task) {
  task->end = now;
  task->ended = true;
  for (const Task &dependent : task->dependents) {
    dependent->begin = std::max(dependent->begin, now + dependent->delay.behind);
    if (!--dependent->waitingFor)
      ready.push({dependent->begin, dependent});
  }
  task->dependents.clear();
}

std::vector<double> TaskTimeline::speeds() const {
  std::array<double, resourceCount> left;
  left.fill(1);
  std::vector<double> result;
  for (const Task &task : running) {
    double speed = 1;
    for (unsigned i = 0; i < resourceCount; ++i)
      if (double share = task->work.share[i]; share > 0)
        speed = std::min(speed, left[i] < minShare ? 0 : left[i] / share);
    for (unsigned i = 0; i < resourceCount; ++i)
      left[i] -= speed * task->work.share[i];
    result.push_back(speed);
  }
  return result;
}

void TaskTimeline::step() {
  const std::vector<double> speed = speeds();
  std::vector<double> ends;
  double next = ready.empty() ? std::numeric_limits<double>::infinity() : ready.top().time;
  for (size_t i = 0; i < running.size(); ++i) {
    ends.push_back(speed[i] > 0 ? now + running[i]->left / speed[i] : std::numeric_limits<double>::infinity());
    next = std::min(next, ends.back());
  }
  std::vector<Task> ended;
  for (size_t i = 0; i < running.size(); ++i) {
    running[i]->left = std::max(running[i]->left - speed[i] * (next - now), 0.0);
    if (ends[i] <= next)
      ended.push_back(running[i]);
  }
  now = next;
  std::erase_if(running, [&](const Task &task) { return std::ranges::find(ended, task) != ended.end(); });
  for (const Task &task : ended)
    end(task);
  while (!ready.empty() && ready.top().time <= now) {
    Task task = ready.top().task;
    ready.pop();
    begin(task);
  }
}

} // namespace nstf::emulator::timing
