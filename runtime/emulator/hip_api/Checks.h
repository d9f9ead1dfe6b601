// NSTF_EMU_CHECK: every launch runs under the checks that it names (checks/Checks.h).
// NSTF_EMU_CHECK_EXIT=1: a program with findings that would exit with status 0 exits with 2.
#pragma once

#include "runtime/emulator/hip_api/Device.h"
#include "runtime/emulator/run/Dispatch.h"

namespace nstf::emulator {

/// Runs a launch as `dispatch` does. If the device has checks, it runs under them, and only one launch runs at a time.
/// The first finding of each rule at each place is printed to stderr, one a line; the launch succeeds. When the program
/// exits, a summary follows.
void dispatchChecked(Device &device, const LaunchArguments &launch, LaunchOptions options);

/// Whether findings are the exit status, by NSTF_EMU_CHECK_EXIT. Throws std::runtime_error if the variable has an
/// unknown value.
bool exitsWithFindings();

} // namespace nstf::emulator
