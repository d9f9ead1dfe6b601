// Measures parts of a run: time on this host, and time predicted for the chip whose time the device predicts.
#pragma once

#include "nstf/Runtime.h"

#include <chrono>
#include <optional>
#include <string>

namespace nstf::runtime {

struct RunTime {
  double seconds = 0;
  std::optional<PredictedTime> predicted; ///< only if the device predicts time

  double predictedSeconds() const { return predicted ? predicted->nanoseconds * 1e-9 : 0; }
};

class RunClock {
public:
  explicit RunClock(const Backend &backend) : backend(backend) {}

  /// Empty if no time is predicted.
  std::string chip() const { return predictedStart ? predictedStart->chip : ""; }
  /// The time since the previous lap, or since the clock was made.
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
