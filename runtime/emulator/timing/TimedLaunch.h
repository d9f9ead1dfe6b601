// Predicts how long a launch takes, while it executes.
#pragma once

#include "runtime/emulator/timing/LaunchPrediction.h"
#include "runtime/emulator/timing/TimingOptions.h"

namespace nstf::emulator {
class LaunchDriver;
}

namespace nstf::emulator::timing {

struct ChipTiming;
class MemorySystem;

/// Executes the launch and predicts its time; its results are those of the untimed launch. `memory` is the chip's and
/// stands as earlier launches left it. Deterministic: the same launch from the same state gives the same prediction.
/// Throws Fault for a kernel's fault and for resident workgroups that wait for ones that can never start, and
/// std::runtime_error for a launch that fits no compute unit.
LaunchPrediction predict(LaunchDriver &driver, const ChipTiming &chip, MemorySystem &memory,
                         const TimingOptions &options = {});

} // namespace nstf::emulator::timing
