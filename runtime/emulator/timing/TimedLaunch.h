// Predicts the time of a launch while it executes.
#pragma once

#include "runtime/emulator/timing/prediction/LaunchPrediction.h"
#include "runtime/emulator/timing/prediction/TimingOptions.h"

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
///
/// Throws Fault for a fault of the kernel and, if nothing else writes memory, for workgroups that wait for others that
/// can never start. Throws std::runtime_error for a launch that does not fit the kernel or a compute unit.
///
/// Ignores `options.monitor` and `options.threads`. `options.statistics` gets the counts that `dispatch` would add, for
/// a sampled launch too, whose other workgroups are executed; it must not be combined with TimingOptions::sampledOnly.
LaunchPrediction predict(const Target &target, Memory &memory, const LaunchArguments &arguments,
                         const LaunchOptions &options, const ChipTiming &chip, MemorySystem &caches,
                         const TimingOptions &timing = {});

} // namespace nstf::emulator::timing
