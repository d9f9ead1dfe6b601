// Initial register values of a wave.
#pragma once

#include "runtime/emulator/instructions/Wave.h"

namespace nstf::emulator {

/// Initialises `wave` as wave `number` of `group`, before its first instruction. `scratch`: the address of its scratch
/// memory.
void startWave(Wave &wave, Workgroup &group, unsigned number, uint64_t scratch);

} // namespace nstf::emulator
