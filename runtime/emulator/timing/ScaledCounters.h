// What was counted of a part of a launch, as if of all of it.
#pragma once

#include "runtime/emulator/timing/Counters.h"
#include "runtime/emulator/timing/MemoryCounters.h"
#include "runtime/emulator/timing/Stalls.h"

namespace nstf::emulator::timing {

void scale(Counters &counters, double factor);
void scale(MemoryCounters &counters, double factor);
void scale(StallTable &stalls, double factor);

} // namespace nstf::emulator::timing
