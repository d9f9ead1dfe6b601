// Chains of pointers that kernels follow.
#pragma once

#include "tools/benchmarks/timing/micro/MicroBench.h"

namespace nstf::emulator::timing {

/// Steps that a chasing kernel's loop takes each round.
constexpr uint32_t stepsARound = 64;

/// A chain through every `apart` bytes of `bytes`, or through `links` places among them, in an order without a pattern;
/// its first link.
void *makeChain(Bench &bench, uint64_t bytes, uint64_t apart, uint64_t links = 0);

} // namespace nstf::emulator::timing
