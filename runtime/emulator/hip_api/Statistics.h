// Who wants to know what launches do: an observer (nstf/EmulatorStatistics.h), and the file NSTF_EMU_STATISTICS.
#pragma once

#include "runtime/emulator/hip_api/Operation.h"
#include "runtime/emulator/run/Statistics.h"

namespace nstf::emulator {

/// Whether the next launch has to count.
bool wantsStatistics();
/// A launch that was counted, took `seconds` here and `predicted` seconds on the chip (0: nobody predicts).
void reportStatistics(const KernelOperation &launch, const ExecutionStatistics &counted, double seconds,
                      double predicted);

} // namespace nstf::emulator
