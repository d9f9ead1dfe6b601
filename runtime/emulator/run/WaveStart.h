// What a wave's registers hold when it starts.
#pragma once

#include "runtime/emulator/instructions/Wave.h"

namespace nstf::emulator {

/// Makes `wave` the wave `number` of `group`, before its first instruction. `scratch`: the address of its scratch
/// memory.
void startWave(Wave &wave, Workgroup &group, unsigned number, uint64_t scratch);

} // namespace nstf::emulator
