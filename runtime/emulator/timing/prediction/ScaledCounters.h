// Scales the counters of a part of a launch to the whole launch.
#pragma once

#include "runtime/emulator/timing/prediction/Counters.h"
#include "runtime/emulator/timing/prediction/MemoryCounters.h"
#include "runtime/emulator/timing/prediction/Stalls.h"

namespace nstf::emulator::timing {

void scale(Counters &counters, double factor);
void scale(MemoryCounters &counters, double factor);
void scale(StallTable &stalls, double factor);

/// Scales reads and writes by separate factors.
void scale(MemoryCounters &counters, double reads, double writes);
void scale(InstructionStalls &stalls, double factor);

} // namespace nstf::emulator::timing
