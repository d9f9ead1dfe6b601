// NSTF_EMU_TIMING: launches are predicted as they execute, and streams and events live in predicted time.
#pragma once

#include "runtime/emulator/hip_api/Operation.h"
#include "runtime/emulator/run/Dispatch.h"
#include "runtime/emulator/timing/ChipTiming.h"
#include "runtime/emulator/timing/DeviceTimeline.h"
#include "runtime/emulator/timing/KnownLaunches.h"

#include <mutex>

namespace nstf::emulator {

class DeviceTiming {
public:
  explicit DeviceTiming(const timing::ChipTiming &chip);

  const timing::ChipTiming chip;

  /// Runs a launch as emulator::dispatch does and predicts it; an identical one is simulated once. One at a time.
  timing::LaunchPrediction dispatch(Device &device, const LaunchArguments &launch, const LaunchOptions &options);
  /// A copy or fill has written there: L2s forget what they have of it.
  void overwritten(const void *destination, size_t bytes);
  /// What an operation is to the timeline.
  timing::TimedOperation timed(const timing::LaunchPrediction &prediction) const;
  timing::TimedOperation timed(const CopyOperation &copy) const;
  timing::TimedOperation timed(const FillOperation &fill) const;

  /// The device's timeline, nobody else's while the result lives.
  class Locked {
  public:
    explicit Locked(DeviceTiming &owner) : lock(owner.mutex), timeline(owner.deviceTimeline) {}
    timing::DeviceTimeline *operator->() { return &timeline; }

  private:
    std::unique_lock<std::mutex> lock;
    timing::DeviceTimeline &timeline;
  };
  Locked timeline() { return Locked(*this); }

private:
  const timing::SubmissionCosts costs;
  std::mutex mutex; ///< of the timeline
  timing::DeviceTimeline deviceTimeline;
  std::mutex predicting; ///< of what follows
  timing::MemorySystem caches;
  timing::KnownLaunches known;
};

} // namespace nstf::emulator
