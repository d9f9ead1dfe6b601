// Undefined bits through the vector ALU, lane by lane; rows without any are dealt with by a mask.
#include "runtime/emulator/checks/UninitCheck.h"

#include <bit>

namespace nstf::emulator::checks {

uint64_t UninitCheck::undefinedLanes(const WaveShadow &s, SourceRef ref, unsigned rows) const {
  if (!isRegister(ref))
    return 0;
  uint64_t lanes = 0;
  for (unsigned k = 0; k < rows; ++k)
    lanes |= s.undefined[rowOf(ref) + k];
  return lanes;
}

namespace {
bool wideType(OperandType type) { return bitsOf(type) == 64; }
/// Bits of a register that an operand of that type reads.
uint64_t readMask(OperandType type) {
  switch (type) {
  case OperandType::u24:
  case OperandType::i24:
    return 0xffffff;
  default:
    return maskOf(bitsOf(type));
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
    bits.undefined = s.laneBits(rowOf(ref), lane);
    if (wide)
      bits.undefined |= uint64_t(s.laneBits(rowOf(ref) + 1, lane)) << 32;
  }
  uint64_t mask = readMask(type);
  return {bits.value & mask, bits.undefined & mask};
}

Origin UninitCheck::laneOrigin(const WaveShadow &s, SourceRef ref, unsigned lane, unsigned rows) const {
  for (unsigned k = 0; k < rows && isRegister(ref); ++k)
    if (s.undefined[rowOf(ref) + k] >> lane & 1)
      return s.laneOrigin(rowOf(ref) + k, lane);
  return {};
}

void UninitCheck::vector(Wave &w, WaveShadow &s, const MicroOp *op) {
  Opcode opcode = Opcode(op->opcode);
  const OpRule &rule = ruleOf(opcode);
  uint64_t exec = w.exec(), lanes = 0;
  for (unsigned k = 0; k < rule.sources; ++k)
    lanes |= undefinedLanes(s, op->source[k], wideType(rule.types[k + 1]) ? 2 : 1);
  lanes &= exec;
  unsigned row = op->destination;
  bool wide = wideType(rule.types[0]);
  if (!lanes) {
    s.define(row, exec);
    if (wide)
      s.define(row + 1, exec);
    return;
  }
  OperandType type = rule.types[0];
  bool pairOfRows = type == OperandType::v2f32 || type == OperandType::v2b32, halves = isHalves(type);
  bool isMove = opcode == Opcode::V_PK_MOV_B32;
  uint64_t result[Wave::width];
  Origin origins[Wave::width];
  for (uint64_t left = lanes; left; left &= left - 1) {
    unsigned lane = unsigned(std::countr_zero(left));
    Bits source[3];
    for (unsigned k = 0; k < rule.sources; ++k) {
      source[k] = laneSource(w, s, op->source[k], lane, rule.types[k + 1]);
      if (source[k].undefined && origins[lane].kind() == Origin::None)
        origins[lane] = laneOrigin(s, op->source[k], lane, wideType(rule.types[k + 1]) ? 2 : 1);
    }
    if (isMove) {
      result[lane] = (source[0].undefined & 0xffffffff) | source[1].undefined >> 32 << 32;
      continue;
    }
    unsigned width = pairOfRows ? 32 : halves ? 16 : bitsOf(type);
    uint64_t bits = 0;
    for (unsigned shift = 0; shift < bitsOf(type); shift += width) {
      Bits part[3];
      for (unsigned k = 0; k < rule.sources; ++k) {
        bool same = bitsOf(rule.types[k + 1]) == bitsOf(type);
        uint64_t mask = shift || width < bitsOf(type) ? maskOf(width) : ~uint64_t(0);
        part[k] = same ? Bits{source[k].value >> shift & mask, source[k].undefined >> shift & mask} : source[k];
      }
      bits |= apply(rule.rule, width, isSignedType(type), part).undefined << shift;
    }
    result[lane] = bits;
  }
  s.define(row, exec);
  if (wide)
    s.define(row + 1, exec);
  for (uint64_t left = lanes; left; left &= left - 1) {
    unsigned lane = unsigned(std::countr_zero(left));
    s.setLane(row, lane, uint32_t(result[lane]), origins[lane]);
    if (wide)
      s.setLane(row + 1, lane, uint32_t(result[lane] >> 32), origins[lane]);
  }
}

void UninitCheck::compare(Wave &w, WaveShadow &s, const MicroOp *op) {
  Opcode opcode = Opcode(op->opcode);
  const OpRule &rule = ruleOf(opcode);
  uint64_t lanes = 0, undefined = 0;
  Origin origin;
  for (unsigned k = 0; k < 2; ++k)
    lanes |= undefinedLanes(s, op->source[k], wideType(rule.types[k + 1]) ? 2 : 1);
  for (uint64_t left = lanes & w.exec(); left; left &= left - 1) {
    unsigned lane = unsigned(std::countr_zero(left));
    Bits a = laneSource(w, s, op->source[0], lane, rule.types[1]);
    Bits b = laneSource(w, s, op->source[1], lane, rule.types[2]);
    if (!comparisonUndefined(rule, bitsOf(rule.types[1]), isSignedType(rule.types[1]), a, b))
      continue;
    if (!undefined) {
      unsigned k = a.undefined ? 0 : 1;
      origin = laneOrigin(s, op->source[k], lane, wideType(rule.types[k + 1]) ? 2 : 1);
    }
    undefined |= uint64_t(1) << lane;
  }
  s.setScalar64(op->scalarDestination, undefined, origin);
  if (infoOf(opcode).name.starts_with("V_CMPX_") && undefined) {
    s.setScalar64(sgpr::exec, undefined, origin);
    checkExec(w, s, op);
    s.setScalar64(op->scalarDestination, 0, {});
  }
}

void UninitCheck::carry(Wave &w, WaveShadow &s, const MicroOp *op) {
  Opcode opcode = Opcode(op->opcode);
  bool carriesIn =
      opcode == Opcode::V_ADDC_CO_U32 || opcode == Opcode::V_SUBB_CO_U32 || opcode == Opcode::V_SUBBREV_CO_U32;
  uint64_t exec = w.exec(), undefinedIn = 0, undefinedOut = 0;
  if (carriesIn && isRegister(op->source[2]))
    undefinedIn = s.scalar64(scalarOf(op->source[2])) & exec;
  uint64_t lanes = (undefinedLanes(s, op->source[0], 1) | undefinedLanes(s, op->source[1], 1) | undefinedIn) & exec;
  uint32_t result[Wave::width];
  Origin origins[Wave::width], origin;
  for (uint64_t left = lanes; left; left &= left - 1) {
    unsigned lane = unsigned(std::countr_zero(left));
    Bits a = laneSource(w, s, op->source[0], lane, OperandType::u32);
    Bits b = laneSource(w, s, op->source[1], lane, OperandType::u32);
    uint32_t undefined = uint32_t(a.undefined | b.undefined | (undefinedIn >> lane & 1));
    result[lane] = undefined | -undefined;
    origins[lane] = a.undefined   ? laneOrigin(s, op->source[0], lane, 1)
                    : b.undefined ? laneOrigin(s, op->source[1], lane, 1)
                                  : scalarOrigin(s, op->source[2], true);
    if (undefined && !undefinedOut)
      origin = origins[lane];
    undefinedOut |= uint64_t(undefined != 0) << lane;
  }
  s.define(op->destination, exec);
  for (uint64_t left = lanes; left; left &= left - 1) {
    unsigned lane = unsigned(std::countr_zero(left));
    s.setLane(op->destination, lane, result[lane], origins[lane]);
  }
  s.setScalar64(op->scalarDestination, undefinedOut, origin);
}

} // namespace nstf::emulator::checks
