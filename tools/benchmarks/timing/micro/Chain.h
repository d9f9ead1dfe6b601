// Chains of pointers that kernels follow.
#pragma once

#include "tools/benchmarks/timing/micro/MicroBench.h"

namespace nstf::emulator::timing {

constexpr uint64_t kilo = 1024, mega = kilo * kilo;
constexpr uint64_t part = 8 * kilo; ///< what a workgroup of a stream has to itself in a round

/// Steps that a chasing kernel's loop takes each round.
constexpr uint32_t stepsARound = 64;

/// A chain through every `apart` bytes of `bytes`, or through `links` places among them, in an order without a pattern;
/// its first link.
void *makeChain(std::byte *memory, uint64_t bytes, uint64_t apart, uint64_t links = 0);
/// The same in memory of its own.
void *makeChain(Bench &bench, uint64_t bytes, uint64_t apart, uint64_t links = 0);

/// Clocks a step takes once the chain has been gone through: a level that holds all of it.
double warm(MicroBench &bench, const std::string &kernel, uint64_t bytes, uint64_t apart = 128);

} // namespace nstf::emulator::timing
