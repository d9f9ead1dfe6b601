// The numbers of --weights=random, many at a time with the host's vector instructions; the same bits as
// nstf/RandomWeights.h gives.
#pragma once

#include "nstf/RandomWeights.h"

#include <span>

namespace nstf::runtime {

/// random(begin), random(begin + 1), …
void fillRandom(const RandomWeights &random, uint64_t begin, std::span<float> numbers);

} // namespace nstf::runtime
