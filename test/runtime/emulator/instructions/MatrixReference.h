// One element of a matrix instruction, computed slowly.
//
// The published bit-accurate model (Xie et al., arXiv 2511.10909) once more, in exact arithmetic on integers of 1024
// bits, one element at a time: what the emulator's vector code in exact mode is compared with. Shares nothing with it.
#pragma once

#include "test/runtime/emulator/instructions/MatrixForms.h"

#include <span>

namespace nstf::emulator::test {

/// Bits of D from those of C and of K elements of A and B, which give an f32. `oldBf16`: gfx90a's forms without _1k.
/// NaN is 7fc00000.
uint32_t exactElement(const std::string &target, Element typeA, Element typeB, bool oldBf16,
                      std::span<const uint64_t> a, std::span<const uint64_t> b, uint32_t c);

} // namespace nstf::emulator::test
