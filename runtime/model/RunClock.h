// How long parts of a run take: on this host, and on the chip whose time the device predicts.
#pragma once

#include "nstf/Runtime.h"

#include <chrono>
#include <optional>
#include <string>

namespace nstf::runtime {

struct RunTime {
  double seconds = 0;
  std::optional<PredictedTime> predicted; ///< where the device predicts time

  double predictedSeconds() const { return predicted ? predicted->nanoseconds * 1e-9 : 0; }
};

class RunClock {
public:
  explicit RunClock(const Backend &backend) : backend(backend) {}

  /// Empty where no time is predicted.
  std::string chip() const { return predictedStart ? predictedStart->chip : ""; }
  /// What went by since the lap before, or since the clock was made.
  RunTime lap() {
    RunTime time{std::chrono::duration<double>(Clock::now() - start).count(), std::nullopt};
    if (predictedStart) {
      const double before = predictedStart->nanoseconds;
      time.predicted = predictedStart = backend.predictedTime();
      time.predicted->nanoseconds -= before;
    }
    start = Clock::now();
    return time;
  }

private:
  using Clock = std::chrono::steady_clock;
  const Backend &backend;
  std::optional<PredictedTime> predictedStart = backend.predictedTime();
  Clock::time_point start = Clock::now();
};

} // namespace nstf::runtime
