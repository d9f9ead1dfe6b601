// Registers' values for people.
#pragma once

#include "runtime/emulator/decode/InstructionFacts.h"
#include "runtime/emulator/instructions/Wave.h"

namespace nstf::emulator {

/// What numbers an instruction works on, told by its name.
enum class NumberView : uint8_t {
  Bits,
  Pair, ///< 64 bits
  F64,
  F32,
  F16,
  BF16
};
/// `isResult`: of what it writes; conversions and matrix instructions read other numbers than they write.
NumberView viewOf(std::string_view instruction, bool isResult);

/// "3f800000", or "3f800000 (1)".
std::string dwordText(uint32_t bits, NumberView view);
/// "3ff0000000000000 (1)"
std::string pairText(uint64_t bits, NumberView view);

/// The values of a scalar range: "00007f12 34560000".
std::string scalarText(const Wave &wave, const RegisterRange &range);

/// "0, 1.5": how a float is told.
std::string floatText(double value);

/// 16 hexadecimal digits of a lane mask.
std::string maskText(uint64_t mask);

} // namespace nstf::emulator
