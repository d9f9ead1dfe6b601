// NSTF_EMU_CHECK: every launch runs under the checks that it names (checks/Checks.h).
#pragma once

#include "runtime/emulator/hip_api/Device.h"
#include "runtime/emulator/run/Dispatch.h"

namespace nstf::emulator {

/// Runs a launch as `dispatch` does. If the device has checks, it runs under them, and only one launch runs at a time.
/// New findings are printed to stderr, one a line; HipError(hipErrorLaunchFailure) with the first one's text is then
/// thrown.
void dispatchChecked(Device &device, const LaunchArguments &launch, LaunchOptions options);

} // namespace nstf::emulator
