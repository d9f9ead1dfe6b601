// The meanings of MicroOp::flags and MicroOp::immediate, by kind of micro-op.
#pragma once

#include <cstdint>

namespace nstf::emulator {

// Micro-ops around a vector instruction

/// Negate16, Negate32, Negate64; also LLVM's bits of a source modifier operand.
constexpr uint32_t sourceNegate = 1, sourceAbsolute = 2;
/// SelectHalves, SelectPair.
constexpr uint32_t packLowFromHigh = 1, packHighFromHigh = 2, packNegateLow = 4, packNegateHigh = 8;
/// SelectBytes: the SDWA selector in the low bits, combined with this.
constexpr uint32_t selectSignExtend = 8;

/// SaturateCarry32, SaturateCarry64.
constexpr uint32_t saturateToZero = 1, saturateSigned = 2;

/// LanePermute.
constexpr uint32_t laneBound = 1, lanePair = 2;

// Memory

// Global, flat, scratch. source[0]: address row (pair, or 32-bit offset), source[1]: scalar address, source[2]: data
// row; immediate: the offset, sign-extended; destination: result row.
constexpr uint32_t memoryScalarBase = 1;   ///< 64-bit SGPR base and 32-bit offset row (scratch: SGPR offset)
constexpr uint32_t memoryVectorOffset = 2; ///< scratch: an offset row
constexpr uint32_t memoryReturns = 4;      ///< atomics: returns the old value
constexpr uint32_t memoryCompares = 64;    ///< atomics: a second operand follows the first (compare)
// Buffer. source[0]: offset row, source[1]: resource (4 SGPRs), source[2]: data row, source[3]: soffset; immediate: the
// instruction's offset.
constexpr uint32_t bufferOffset = 8;  ///< offen
constexpr uint32_t bufferIndex = 16;  ///< idxen; with offen, the index comes first
constexpr uint32_t bufferToLds = 32;  ///< LDS-DMA: the data goes to LDS at M0
constexpr uint32_t bufferTyped = 128; ///< tbuffer_: the format is in the instruction, from bit bufferFormatShift on
constexpr unsigned bufferFormatShift = 8;

// Matrix

/// C is a constant (source[2] is its row; two rows for a 64-bit constant).
constexpr uint32_t matrixConstant = 1;
// immediate: cbsz, abid << 8, blgp << 16 (f64: negation of A, B and C in blgp's place)

} // namespace nstf::emulator
