#include "tools/benchmarks/timing/points/Case.h"

#include <stdexcept>

namespace nstf::emulator::timing {

Problem::Problem(const std::string &text) {
  // A number after a name and an equals sign is stored under that name.
  for (size_t at = 0; at < text.size();) {
    if (!std::isdigit(static_cast<unsigned char>(text[at]))) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) || text[end] == '.'))
      ++end;
    double value = std::stod(text.substr(at, end - at));
    if (at > 0 && text[at - 1] == '=') {
      size_t begin = text.rfind(' ', at);
      begin = begin == std::string::npos ? 0 : begin + 1;
      names[text.substr(begin, at - 1 - begin)] = value;
    }
    numbers.push_back(uint64_t(value));
    at = end;
  }
}

uint64_t Problem::named(const std::string &name) const {
  auto found = names.find(name);
  if (found == names.end())
    throw std::runtime_error("the problem has no " + name);
  return uint64_t(found->second);
}

Case::~Case() {
  for (void *pointer : arrays)
    bench.release(pointer);
}

void Case::add(const LaunchPrediction &prediction) {
  operations.push_back({TimedOperation::kernel(prediction.executionNs, 1, 1)});
  const uint64_t slots = std::max<uint64_t>(1, uint64_t(prediction.occupancy.workgroups) * bench.chip().computeUnits);
  ++outcome.launches;
  outcome.execution += prediction.executionNs;
  outcome.instructions += prediction.counters.instructions();
  outcome.workgroups += prediction.sample.workgroups;
  outcome.simulated += prediction.sample.simulated;
  outcome.rounds += (prediction.sample.workgroups + slots - 1) / slots;
  if (prediction.executionNs > longest) {
    longest = prediction.executionNs;
    outcome.limiter = limiterNames[size_t(prediction.limiter)];
  }
}

void Case::copyFromHost(uint64_t bytes) {
  operations.push_back(
      {TimedOperation::copy(SubmissionCosts::of(bench.chip()), bytes, CopyDirection::HostToDevice, HostPages::Pageable),
       true});
}

void Case::fill(uint64_t bytes) {
  operations.push_back({TimedOperation::fill(SubmissionCosts::of(bench.chip()), bytes)});
}

double Case::measureNanoseconds(const std::function<void()> &what) {
  const SubmissionCosts costs = SubmissionCosts::of(bench.chip());
  outcome = {};
  operations.clear();
  longest = 0;
  what();
  switch (submission) {
  case Submission::None:
    return outcome.execution;
  case Submission::InARow:
    return outcome.execution + costs.gap;
  case Submission::GraphNode:
    return outcome.execution + costs.graphNode;
  case Submission::Host:
    break;
  }
  DeviceTimeline timeline(costs);
  DeviceTimeline::Queue queue;
  for (const Submitted &submitted : operations) {
    timeline.submit(queue, submitted.operation);
    if (submitted.waits)
      timeline.synchronize(queue);
  }
  timeline.synchronize(queue);
  return timeline.host();
}

Outcome Case::run(const TimingOptions &how) {
  options = how;
  bench.forget();
  if (before)
    before();
  else
    for (unsigned i = 0; i < warmUps; ++i)
      timed();
  const double offset = beginning ? measureNanoseconds(beginning) : 0;
  const double whole = measureNanoseconds(timed);
  outcome.nanoseconds = whole - offset;
  return outcome;
}

} // namespace nstf::emulator::timing
