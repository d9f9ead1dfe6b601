// Waiting that can never end.
//
// Waves run deterministically: when all of them are seen again as they were, and memory too, they go on like that for
// ever. While a suspicion is looked into the waves run on one thread, and every store and atomic is noted with what
// stood there before.
//
// Waves that wait for each other alone, at barriers and at global wave sync, are proven so without that: whoever else
// writes memory can't let them go.
#pragma once

#include "runtime/emulator/run/ResidentGroup.h"

#include <span>

namespace nstf::emulator {

/// Two waves of the same value have, but for chance, the same registers and stand at the same instruction.
uint64_t stateOf(const Wave &wave);
/// The same of all waves of a workgroup.
uint64_t stateOf(const Workgroup &group);

/// Runs workgroups none of which got on for a while, and says whether they never will: they came back to where they
/// were. False as soon as one gets on, or when that takes long. Throws Fault.
bool neverMoves(std::span<ResidentGroup *const> groups);

/// Whether all the workgroup's waves wait for what only waves bring: they stand at barriers or at global wave sync.
bool waitsForWaves(const Workgroup &group);
/// Whether these workgroups, all that are resident, wait for each other alone. Gives each a turn.
bool waitForEachOther(std::span<ResidentGroup *const> groups);

} // namespace nstf::emulator
