#include "runtime/emulator/timing/prediction/Arithmetic.h"
#include "runtime/emulator/decode/DecodedProgram.h"

namespace nstf::emulator::timing {
namespace {

constexpr double lanes = 64;

/// Flops of a lane and operation, by the beginning of the name after V_ or V_PK_; only for float types.
struct NamedFlops {
  std::string_view begin;
  double flops;
};
constexpr NamedFlops namedFlops[] = {{"FMA", 2},  {"MAD", 2}, {"MAC", 2}, {"DIV_FMAS", 2},
                                     {"DOT2", 4}, {"ADD", 1}, {"SUB", 1}, {"MUL", 1}};

NumberType floatType(const InstructionInfo &info) {
  // CROSSLANE has no types.
  const bool typed = info.types[0] != OperandType::none;
  if (typed && !isFloat(info.types[0]))
    return NumberType::none;
  switch (info.is(trait::dot) ? info.types[1] : info.types[0]) {
  case OperandType::f16:
  case OperandType::v2f16:
  case OperandType::v2f16raw:
    return NumberType::f16;
  case OperandType::f32:
  case OperandType::v2f32:
    return NumberType::f32;
  case OperandType::f64:
    return NumberType::f64;
  default:
    if (typed)
      return NumberType::none;
    return info.name.starts_with("V_DIV_FMAS_F64")                                         ? NumberType::f64
           : info.name.starts_with("V_DIV_FMAS_F32") || info.name.starts_with("V_FMA_MIX") ? NumberType::f32
                                                                                           : NumberType::none;
  }
}

Arithmetic vectorArithmetic(const InstructionInfo &info) {
  const NumberType type = floatType(info);
  if (type == NumberType::none)
    return {};
  if (info.kind == InstructionKind::Transcendental)
    return {.type = type, .flops = lanes};
  std::string_view name = info.name.substr(2);
  const bool isPair = name.starts_with("PK_");
  name.remove_prefix(isPair ? 3 : 0);
  for (const NamedFlops &named : namedFlops)
    if (name.starts_with(named.begin))
      return {.type = type, .flops = lanes * named.flops * (isPair ? 2 : 1)};
  return {};
}

/// By the type of A in the instruction list.
namespace matrixTypes {
constexpr NumberType f16 = NumberType::f16, bf16 = NumberType::bf16, f32 = NumberType::f32, xf32 = NumberType::xf32,
                     f64 = NumberType::f64, i8 = NumberType::i8, FP8_FP8 = NumberType::fp8, FP8_BF8 = NumberType::fp8,
                     BF8_FP8 = NumberType::bf8, BF8_BF8 = NumberType::bf8;
} // namespace matrixTypes

Arithmetic matrixArithmetic(Opcode opcode) {
  switch (opcode) {
#define MATRIX(name, D, A, rows, columns, depth, blocks)                                                               \
  case Opcode::name:                                                                                                   \
    return {matrixTypes::A, true, false, 2.0 * rows * columns * depth * blocks};
#define SPARSE(name, D, A, rows, columns, depth)                                                                       \
  case Opcode::name:                                                                                                   \
    return {matrixTypes::A, true, true, 2.0 * rows * columns * depth};
#include "runtime/emulator/decode/Instructions.def"
  default:
    return {};
  }
}

} // namespace

Arithmetic getArithmetic(Opcode opcode) {
  const InstructionInfo &info = getInfo(opcode);
  if (info.kind == InstructionKind::Matrix)
    return matrixArithmetic(opcode);
  return isVector(info.kind) ? vectorArithmetic(info) : Arithmetic{};
}

OpcodeCounts countIssued(const StallTable &stalls, const DecodedProgram &program) {
  OpcodeCounts counts = {};
  for (uint32_t i = 0; i < stalls.size(); ++i) {
    if (!stalls[i].issued)
      continue;
    // A trap follows the last instruction.
    for (const MicroOp *op = program.at(program.addressOfInstruction(i)); op->instruction == i; ++op)
      if (Opcode(op->opcode) < Opcode::Trap) // the instruction's own micro-op
        counts[op->opcode] += stalls[i].issued;
  }
  return counts;
}

} // namespace nstf::emulator::timing
