// How close a launch comes to the chip's limits.
#pragma once

#include "runtime/emulator/timing/prediction/LaunchPrediction.h"

namespace nstf::emulator {
class DecodedProgram;
struct DeviceModel;
} // namespace nstf::emulator

namespace nstf::emulator::timing {

struct ChipTiming;

/// The least share of its execution time that a launch needs, 0 to 1: the larger of its flops at the peak rate of the
/// matrix cores or vector units for their types, at the assumed clock, and its bytes to and from HBM at
/// memory_bandwidth.
double getRoofline(const LaunchPrediction &prediction, const DecodedProgram &program, const DeviceModel &model,
                   const ChipTiming &chip);

} // namespace nstf::emulator::timing
