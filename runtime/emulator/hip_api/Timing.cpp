#include "runtime/emulator/hip_api/Timing.h"
#include "runtime/emulator/hip_api/Stream.h"
#include "runtime/emulator/timing/TimedLaunch.h"

namespace nstf::emulator {

using timing::CopyDirection;
using timing::HostPages;
using timing::TimedOperation;

namespace {
bool isOnDevice(const void *pointer) {
  Region region;
  return Device::get().memory.find(reinterpret_cast<uint64_t>(pointer), region) && region.kind != RegionKind::Host;
}

CopyDirection directionOf(const CopyOperation &copy) {
  const bool from = isOnDevice(copy.source), to = isOnDevice(copy.destination);
  if (from)
    return to ? CopyDirection::OnDevice : CopyDirection::DeviceToHost;
  return to ? CopyDirection::HostToDevice : CopyDirection::OnHost;
}

/// Host memory that no call has registered is pageable.
HostPages pagesOf(const CopyOperation &copy) {
  const Memory &memory = Device::get().memory;
  auto isKnown = [&](const void *pointer) {
    Region region;
    return memory.find(reinterpret_cast<uint64_t>(pointer), region);
  };
  return isKnown(copy.source) && isKnown(copy.destination) ? HostPages::Pinned : HostPages::Pageable;
}
} // namespace

DeviceTiming::DeviceTiming(const timing::ChipTiming &chip)
    : chip(chip), costs(timing::SubmissionCosts::of(chip)), deviceTimeline(costs), caches(this->chip) {}

timing::LaunchPrediction DeviceTiming::dispatch(Device &device, const LaunchArguments &launch,
                                                const LaunchOptions &options) {
  std::lock_guard lock(predicting);
  const auto identity = timing::LaunchIdentity::of(launch, device.memory);
  if (const timing::LaunchPrediction *prediction = known.find(identity, caches)) {
    emulator::dispatch(device.target, device.memory, launch, options);
    return *prediction;
  }
  auto prediction = timing::predict(device.target, device.memory, launch, options, chip, caches);
  known.add(identity, prediction, caches);
  return prediction;
}

void DeviceTiming::overwritten(const void *destination, size_t bytes) {
  Region region;
  const uint64_t begin = reinterpret_cast<uint64_t>(destination);
  if (!Device::get().memory.find(begin, region))
    return;
  std::lock_guard lock(predicting);
  const uint64_t physical = region.physical + (begin - region.begin);
  caches.overwrite({physical, physical + std::min<uint64_t>(bytes, region.end - begin)});
}

TimedOperation DeviceTiming::timed(const timing::LaunchPrediction &prediction) const {
  // The average share of slots that were occupied.
  const timing::Counters &counted = prediction.counters;
  const double slots = double(chip.computeUnits) * double(prediction.occupancy.workgroups) * double(counted.clocks);
  const double groups = double(counted.waveClocks) * double(counted.workgroups) / std::max(double(counted.waves), 1.0);
  return TimedOperation::kernel(prediction.executionNs, slots > 0 ? groups / slots : 1,
                                prediction.use[size_t(timing::Limiter::Hbm)]);
}

TimedOperation DeviceTiming::timed(const CopyOperation &copy) const {
  return TimedOperation::copy(costs, copy.width * copy.height, directionOf(copy), pagesOf(copy));
}

TimedOperation DeviceTiming::timed(const FillOperation &fill) const {
  return TimedOperation::fill(costs, fill.count * fill.elementSize * fill.height);
}

} // namespace nstf::emulator

using namespace nstf::emulator;

/// Extension: selects the chip whose time is predicted ("mi300x", or a file), overriding NSTF_EMU_TIMING. Must be
/// called before anything that needs a device.
NSTF_HIP_API hipError_t nstfEmulatorSetTiming(const char *chip) {
  return guarded("nstfEmulatorSetTiming", [&] {
    require(chip && *chip, "chip is empty");
    Device::setTiming(chip);
  });
}

/// Extension: waits for all work, and returns the predicted nanoseconds since the device was made and the chip's name.
/// Returns hipErrorNotSupported if no time is predicted.
NSTF_HIP_API hipError_t nstfEmulatorPredictedTime(double *nanoseconds, const char **chip) {
  return guarded("nstfEmulatorPredictedTime", [&] {
    require(nanoseconds && chip, "a result is null");
    DeviceTiming *timing = Device::get().timing.get();
    if (!timing)
      throw HipError(hipErrorNotSupported, "no time is predicted: NSTF_EMU_TIMING is not set");
    refuseDuringCapture();
    DeviceTiming::Locked timeline = timing->timeline();
    timeline->synchronize();
    *nanoseconds = timeline->host();
    *chip = timing->chip.name.c_str();
  });
}
