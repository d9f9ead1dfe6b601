// Tracks undefined bits through the vector ALU, lane by lane; a mask skips rows without any.
#include "runtime/emulator/checks/UninitCheck.h"

namespace nstf::emulator::checks {

uint64_t UninitCheck::undefinedLanes(const WaveShadow &s, SourceRef ref, unsigned rows) const {
  if (!isRegister(ref))
    return 0;
  uint64_t lanes = 0;
  for (unsigned k = 0; k < rows; ++k)
    lanes |= s.undefined[getRow(ref) + k];
  return lanes;
}

namespace {
bool wideType(OperandType type) { return getBits(type) == 64; }
/// The bits of a register that an operand of this type reads.
uint64_t readMask(OperandType type) {
  switch (type) {
  case OperandType::u24:
  case OperandType::i24:
    return 0xffffff;
  default:
    return getMask(getBits(type));
  }
}
bool isHalves(OperandType type) {
  return type == OperandType::v2f16 || type == OperandType::v2u16 || type == OperandType::v2i16;
}
} // namespace

Bits UninitCheck::laneSource(const Wave &w, const WaveShadow &s, SourceRef ref, unsigned lane, OperandType type) const {
  const uint32_t *row = w.row(ref);
  bool wide = wideType(type);
  Bits bits{row[lane], 0};
  if (wide)
    bits.value |= uint64_t(row[lane + Wave::width]) << 32;
  if (isRegister(ref)) {
    bits.undefined = s.laneBits(getRow(ref), lane);
    if (wide)
      bits.undefined |= uint64_t(s.laneBits(getRow(ref) + 1, lane)) << 32;
  }
  uint64_t mask = readMask(type);
  return {bits.value & mask, bits.undefined & mask};
}

Origin UninitCheck::laneOrigin(const WaveShadow &s, SourceRef ref, unsigned lane, unsigned rows) const {
  for (unsigned k = 0; k < rows && isRegister(ref); ++k)
    if (s.undefined[getRow(ref) + k] >> lane & 1)
      return s.laneOrigin(getRow(ref) + k, lane);
  return {};
}

void UninitCheck::vector(Wave &w, WaveShadow &s, const MicroOp *op) {
  Opcode opcode = Opcode(op->opcode);
  const OpRule &rule = getRule(opcode);
  uint64_t exec = w.exec(), lanes = 0;
  for (unsigned k = 0; k < rule.sources; ++k)
    lanes |= undefinedLanes(s, op->source[k], wideType(rule.types[k + 1]) ? 2 : 1);
  lanes &= exec;
  OperandType type = rule.types[0];
  s.setLanes(op->destination, wideType(type) ? 2 : 1, exec, lanes, [&](unsigned lane) {
    Undefined result;
    Bits source[3];
    for (unsigned k = 0; k < rule.sources; ++k) {
      source[k] = laneSource(w, s, op->source[k], lane, rule.types[k + 1]);
      if (source[k].undefined && result.origin.kind() == Origin::None)
        result.origin = laneOrigin(s, op->source[k], lane, wideType(rule.types[k + 1]) ? 2 : 1);
    }
    if (opcode == Opcode::V_PK_MOV_B32) {
      result.bits = (source[0].undefined & 0xffffffff) | source[1].undefined << 32; // SelectPair has taken the halves
      return result;
    }
    bool pairOfRows = type == OperandType::v2f32 || type == OperandType::v2b32;
    unsigned width = pairOfRows ? 32 : isHalves(type) ? 16 : getBits(type);
    for (unsigned shift = 0; shift < getBits(type); shift += width) {
      Bits part[3];
      for (unsigned k = 0; k < rule.sources; ++k) {
        bool same = getBits(rule.types[k + 1]) == getBits(type);
        uint64_t mask = shift || width < getBits(type) ? getMask(width) : ~uint64_t(0);
        part[k] = same ? Bits{source[k].value >> shift & mask, source[k].undefined >> shift & mask} : source[k];
      }
      result.bits |= apply(rule.rule, width, isSignedType(type), part).undefined << shift;
    }
    return result;
  });
}

} // namespace nstf::emulator::checks
