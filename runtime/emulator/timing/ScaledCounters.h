// What was counted of a part of a launch, as if of all of it.
#pragma once

#include "runtime/emulator/timing/Counters.h"
#include "runtime/emulator/timing/MemoryCounters.h"
#include "runtime/emulator/timing/Stalls.h"

namespace nstf::emulator::timing {

void scale(Counters &counters, double factor);
void scale(MemoryCounters &counters, double factor);
void scale(StallTable &stalls, double factor);

/// Of which so many times the reads and so many times the writes are made.
void scale(MemoryCounters &counters, double reads, double writes);
void scale(InstructionStalls &stalls, double factor);

} // namespace nstf::emulator::timing
