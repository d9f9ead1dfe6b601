// Flags of matrix micro-ops.
#pragma once

#include <cstdint>

namespace nstf::emulator {

/// C is a constant (source[2] is its row, two of a 64-bit one).
constexpr uint32_t matrixConstant = 1;
// immediate: cbsz, abid << 8, blgp << 16 (f64: negation of A, B and C in blgp's place)

} // namespace nstf::emulator
