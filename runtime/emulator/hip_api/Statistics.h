// Statistics of launches, reported to an observer (nstf/EmulatorStatistics.h) and to the file NSTF_EMU_STATISTICS.
#pragma once

#include "runtime/emulator/hip_api/Operation.h"
#include "runtime/emulator/run/Statistics.h"

namespace nstf::emulator {

/// Whether the next launch must be counted.
bool wantsStatistics();
/// Reports a counted launch, which took `seconds` on this host and is predicted to take `predicted` seconds on the chip
/// (0: no prediction).
void reportStatistics(const KernelOperation &launch, const ExecutionStatistics &counted, double seconds,
                      double predicted);

/// Counts a launch that ended in a fault, and findings of checks, for the file.
void reportFault();
void reportFindings(uint64_t count);

} // namespace nstf::emulator
