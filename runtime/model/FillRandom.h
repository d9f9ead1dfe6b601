// The numbers of --weights=random, many at a time: those of nstf/RandomWeights.h to the bit, by the machine's vectors.
#pragma once

#include "nstf/RandomWeights.h"

#include <span>

namespace nstf::runtime {

/// random(begin), random(begin + 1), …
void fillRandom(const RandomWeights &random, uint64_t begin, std::span<float> numbers);

} // namespace nstf::runtime
