// A launch in predicted time, and what must hold of it whatever the kernel is.
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
  bool twice = false;   ///< the second time it is known, or finds what the first left
  bool compare = false; ///< with the untimed launch and the slow reference, where the kernel allows that
};

/// Aborts where the time is none, or where time, or what the launch leaves in memory, is another than it has to be.
/// Throws what launches throw.
void runTimed(const Target &target, Memory &memory, const LaunchArguments &arguments, const LaunchOptions &options,
              const TimedChoices &choices);

} // namespace nstf::emulator::fuzz
