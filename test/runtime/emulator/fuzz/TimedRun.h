// Runs a launch in predicted time and checks what must hold for every kernel.
#pragma once

#include "runtime/emulator/timing/chip/ChipTiming.h"
#include "runtime/emulator/timing/prediction/TimingOptions.h"

namespace nstf::emulator {
struct LaunchArguments;
struct LaunchOptions;
class Memory;
struct Target;
} // namespace nstf::emulator

namespace nstf::emulator::fuzz {

struct TimedChoices {
  const timing::ChipTiming *chip = nullptr; ///< null: not timed
  timing::TimingOptions options;
  bool twice = false;   ///< again, as a known launch and with the caches of the first run
  bool compare = false; ///< with the untimed launch and the slow reference, if the kernel allows it
};

/// Aborts if there is no valid time, or if the time or the memory after the launch is not as it must be. Throws what
/// launches throw.
void runTimed(const Target &target, Memory &memory, const LaunchArguments &arguments, const LaunchOptions &options,
              const TimedChoices &choices);

} // namespace nstf::emulator::fuzz
