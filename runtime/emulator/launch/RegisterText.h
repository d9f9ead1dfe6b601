// Register values as text.
#pragma once

#include "runtime/emulator/decode/InstructionFacts.h"
#include "runtime/emulator/instructions/Wave.h"

namespace nstf::emulator {

/// Number format of an instruction's operands, derived from its name.
enum class NumberView : uint8_t {
  Bits,
  Pair, ///< 64 bits
  F64,
  F32,
  F16,
  BF16
};
/// `isResult`: of the result; conversions and matrix instructions read other formats than they write.
NumberView getNumberView(std::string_view instruction, bool isResult);

/// "3f800000", or "3f800000 (1)".
std::string dwordText(uint32_t bits, NumberView view);
/// "3ff0000000000000 (1)"
std::string pairText(uint64_t bits, NumberView view);

/// The values of a scalar range: "00007f12 34560000".
std::string scalarText(const Wave &wave, const RegisterRange &range);

/// "0, 1.5": a float as text.
std::string floatText(double value);

/// A lane mask as 16 hexadecimal digits.
std::string maskText(uint64_t mask);

} // namespace nstf::emulator
