// A slow reference for one element of a matrix instruction.
//
// Implements the published bit-accurate model (Xie et al., arXiv 2511.10909) in exact arithmetic on 1024-bit integers,
// one element at a time. The tests compare the emulator's vector code in exact mode with it; the two share nothing.
#pragma once

#include "test/runtime/emulator/instructions/MatrixForms.h"

#include <span>

namespace nstf::emulator::test {

/// The bits of D for those of C and of K elements of A and B, for types with an f32 result. `oldBf16`: gfx90a's forms
/// without _1k. NaN is 7fc00000.
uint32_t exactElement(const std::string &target, Element typeA, Element typeB, bool oldBf16,
                      std::span<const uint64_t> a, std::span<const uint64_t> b, uint32_t c);

} // namespace nstf::emulator::test
