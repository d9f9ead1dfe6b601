// NSTF_EMU_TIMING: each launch is predicted while it executes, and streams and events use predicted time.
#pragma once

#include "runtime/emulator/hip_api/Operation.h"
#include "runtime/emulator/run/Dispatch.h"
#include "runtime/emulator/timing/chip/ChipTiming.h"
#include "runtime/emulator/timing/timeline/DeviceTimeline.h"
#include "runtime/emulator/timing/timeline/KnownLaunches.h"

#include <mutex>

namespace nstf::emulator {

class DeviceTiming {
public:
  explicit DeviceTiming(const timing::ChipTiming &chip);

  const timing::ChipTiming chip;

  /// Runs a launch as emulator::dispatch does and predicts its time; identical launches are simulated only once. Runs
  /// one launch at a time.
  timing::LaunchPrediction dispatch(Device &device, const LaunchArguments &launch, const LaunchOptions &options);
  /// Called when a copy or fill has written to this range: the modelled L2s drop its lines.
  void overwritten(const void *destination, size_t bytes);
  /// The timeline's description of an operation.
  timing::TimedOperation timed(const timing::LaunchPrediction &prediction) const;
  timing::TimedOperation timed(const CopyOperation &copy) const;
  timing::TimedOperation timed(const FillOperation &fill) const;

  /// Exclusive access to the device's timeline while the object lives.
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
  std::mutex mutex; ///< protects the timeline
  timing::DeviceTimeline deviceTimeline;
  std::mutex predicting; ///< protects the members below
  timing::MemorySystem caches;
  timing::KnownLaunches known;
};

} // namespace nstf::emulator
