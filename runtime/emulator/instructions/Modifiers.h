// Flags of the micro-ops around a vector instruction.
#pragma once

#include <cstdint>

namespace nstf::emulator {

/// Negate16, Negate32, Negate64; also LLVM's bits of a source modifier operand.
constexpr uint32_t sourceNegate = 1, sourceAbsolute = 2;
/// SelectHalves, SelectPair.
constexpr uint32_t packLowFromHigh = 1, packHighFromHigh = 2, packNegateLow = 4, packNegateHigh = 8;
/// SelectBytes: the SDWA selector in the low bits, and this.
constexpr uint32_t selectSignExtend = 8;

/// SaturateCarry32, SaturateCarry64.
constexpr uint32_t saturateToZero = 1, saturateSigned = 2;

/// LanePermute.
constexpr uint32_t laneBound = 1, lanePair = 2;

} // namespace nstf::emulator
