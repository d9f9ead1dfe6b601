//===- Matrix.h - flags of matrix micro-ops ----------------------------------------------------------------------===//
#ifndef NSTF_RUNTIME_EMULATOR_EXECUTE_MATRIX_H
#define NSTF_RUNTIME_EMULATOR_EXECUTE_MATRIX_H

#include <cstdint>

namespace nstf::emulator {

/// C is a constant (source[2] is its row, two of a 64-bit one).
constexpr uint32_t matrixConstant = 1;
// immediate: cbsz, abid << 8, blgp << 16 (f64: negation of A, B and C in blgp's place)

} // namespace nstf::emulator

#endif
