// Arithmetic work of instructions; the energy and the roofline are computed from it.
#pragma once

#include "runtime/emulator/decode/Instructions.h"
#include "runtime/emulator/timing/prediction/Stalls.h"

#include <array>

namespace nstf::emulator {
class DecodedProgram;
}

namespace nstf::emulator::timing {

/// The element type of the factors: operand A of a matrix instruction; f16, f32 or f64 for vector instructions.
enum class NumberType : uint8_t { none, f16, bf16, f32, xf32, f64, i8, fp8, bf8 };

struct Arithmetic {
  NumberType type = NumberType::none;
  bool isMatrix = false;
  bool isSparse = false; ///< two of four products are by zeros that are not stored
  double flops = 0;      ///< of a wave with all lanes; a fused multiply-add is two; products by such zeros count
};
Arithmetic getArithmetic(Opcode opcode);

/// Number of wave instructions, by Opcode.
using OpcodeCounts = std::array<uint64_t, opcodeCount>;
OpcodeCounts countIssued(const StallTable &stalls, const DecodedProgram &program);

} // namespace nstf::emulator::timing
