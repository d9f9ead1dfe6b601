// Detects waits that can never end.
//
// Waves run deterministically: if the states of all waves and of memory recur, the waves repeat for ever. While a
// suspected stall is examined, the waves run on one thread, and every store and atomic is logged with the previous
// contents.
//
// For waves that wait only for each other, at barriers and at global wave sync, no such proof is needed: writes to
// memory cannot release them.
#pragma once

#include "runtime/emulator/run/ResidentGroup.h"

#include <span>

namespace nstf::emulator {

/// A hash of a wave's registers and its current instruction: equal states have equal values, and different ones differ
/// with high probability.
uint64_t getState(const Wave &wave);
/// The same for all waves of a workgroup.
uint64_t getState(const Workgroup &group);

/// Runs workgroups that made no progress for a while, and returns whether they never will: their state recurred.
/// Returns false as soon as one makes progress, or if this takes too long. Throws Fault.
bool neverMoves(std::span<ResidentGroup *const> groups);

/// Whether all waves of the workgroup wait for other waves: at barriers or at global wave sync.
bool waitsForWaves(const Workgroup &group);
/// Whether these workgroups, all that are resident, wait only for each other. Gives each a turn.
bool waitForEachOther(std::span<ResidentGroup *const> groups);

} // namespace nstf::emulator
