// Predicts how long a launch takes, while it executes.
#pragma once

#include "runtime/emulator/timing/LaunchPrediction.h"
#include "runtime/emulator/timing/TimingOptions.h"

namespace nstf::emulator {
struct LaunchArguments;
struct LaunchOptions;
class Memory;
struct Target;
} // namespace nstf::emulator

namespace nstf::emulator::timing {

struct ChipTiming;
class MemorySystem;

/// Executes the launch, as `dispatch` (run/Dispatch.h) would, and predicts its time. `caches` is the chip's memory
/// system as earlier launches left it. Deterministic: the same launch from the same state gives the same prediction.
/// Throws Fault for what the kernel does wrong and, where nobody else writes memory, for workgroups that wait for ones
/// that can never start, and std::runtime_error for a launch that the kernel or a compute unit can't take. Of `options`
/// monitor and threads mean nothing here; statistics get what `dispatch` would add, of a sampled launch too, whose
/// other workgroups are executed. Nobody may ask for them together with TimingOptions::sampledOnly.
LaunchPrediction predict(const Target &target, Memory &memory, const LaunchArguments &arguments,
                         const LaunchOptions &options, const ChipTiming &chip, MemorySystem &caches,
                         const TimingOptions &timing = {});

} // namespace nstf::emulator::timing
