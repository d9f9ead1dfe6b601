//===- Rope.h - The canonical form of rotary embeddings ---------------------------------===//
//
// However a format says it (theta, base, scaling kinds, tables), an importer spells out one frequency for every pair:
// angle of pair i at position p = p · inv_freq[i] (nstf.rope). Every importer takes them from here.
//
//===----------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <vector>

namespace nstf {

/// inv_freq[i] = theta^(-2i / rotary) for i < rotary / 2, in float64. Throws ImportError unless rotary is even, at
/// least 2 and at most 65536, and theta is finite and greater than 0.
std::vector<double> ropeFrequencies(int64_t rotary, double theta);

} // namespace nstf
