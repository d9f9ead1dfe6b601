// How near a launch comes to what the chip can do at the most.
#pragma once

#include "runtime/emulator/timing/LaunchPrediction.h"

namespace nstf::emulator {
class DecodedProgram;
struct DeviceModel;
} // namespace nstf::emulator

namespace nstf::emulator::timing {

struct ChipTiming;

/// The part of its execution that a launch takes at least, 0 to 1: its flops at the matrix cores' or the vector units'
/// peak rate of their types at the assumed clock, or its bytes to and from HBM at memory_bandwidth, whichever is more.
double rooflineOf(const LaunchPrediction &prediction, const DecodedProgram &program, const DeviceModel &model,
                  const ChipTiming &chip);

} // namespace nstf::emulator::timing
