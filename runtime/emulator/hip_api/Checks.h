// NSTF_EMU_CHECK: every launch runs under the checks it names (checks/Checks.h).
#pragma once

#include "runtime/emulator/hip_api/Device.h"
#include "runtime/emulator/run/Dispatch.h"

namespace nstf::emulator {

/// Runs a launch as `dispatch` does, under the device's checks if it has any: then one launch at a time. New findings
/// go to stderr, a line each, and end in HipError(hipErrorLaunchFailure) with the first one's text.
void dispatchChecked(Device &device, const LaunchArguments &launch, LaunchOptions options);

} // namespace nstf::emulator
