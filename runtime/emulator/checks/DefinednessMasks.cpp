// Tracks undefined bits of masks, lane by lane: comparisons, carries, the steps of a division, selections and counts by
// a mask. Bit i of VCC or another pair of SGPRs belongs to lane i and depends only on it.
#include "runtime/emulator/checks/UninitCheck.h"

#include <bit>

namespace nstf::emulator::checks {
namespace {
bool wideType(OperandType type) { return getBits(type) == 64; }
bool isDouble(Opcode opcode) { return opcode == Opcode::V_DIV_SCALE_F64 || opcode == Opcode::V_DIV_FMAS_F64; }
} // namespace

uint64_t UninitCheck::undefinedMask(const WaveShadow &s, SourceRef ref) const {
  return isRegister(ref) ? s.scalar64(getScalar(ref)) : 0;
}

void UninitCheck::compare(Wave &w, WaveShadow &s, const MicroOp *op) {
  Opcode opcode = Opcode(op->opcode);
  const OpRule &rule = getRule(opcode);
  uint64_t lanes = 0, undefined = 0;
  Origin origin;
  for (unsigned k = 0; k < 2; ++k)
    lanes |= undefinedLanes(s, op->source[k], wideType(rule.types[k + 1]) ? 2 : 1);
  for (uint64_t left = lanes & w.exec(); left; left &= left - 1) { // inactive lanes get 0
    unsigned lane = unsigned(std::countr_zero(left));
    Bits a = laneSource(w, s, op->source[0], lane, rule.types[1]);
    Bits b = laneSource(w, s, op->source[1], lane, rule.types[2]);
    if (!comparisonUndefined(rule, getBits(rule.types[1]), isSignedType(rule.types[1]), a, b))
      continue;
    if (!undefined) {
      unsigned k = a.undefined ? 0 : 1;
      origin = laneOrigin(s, op->source[k], lane, wideType(rule.types[k + 1]) ? 2 : 1);
    }
    undefined |= uint64_t(1) << lane;
  }
  setScalarResult(w, s, op, op->scalarDestination, undefined, true, origin);
  if (undefined && getInfo(opcode).name.starts_with("V_CMPX_")) {
    setScalarResult(w, s, op, sgpr::exec, undefined, true, origin);
    s.setScalar64(op->scalarDestination, 0, {}); // reported already
  }
}

void UninitCheck::carry(Wave &w, WaveShadow &s, const MicroOp *op) {
  Opcode opcode = Opcode(op->opcode);
  bool carriesIn =
      opcode == Opcode::V_ADDC_CO_U32 || opcode == Opcode::V_SUBB_CO_U32 || opcode == Opcode::V_SUBBREV_CO_U32;
  uint64_t in = carriesIn ? undefinedMask(s, op->source[2]) : 0, out = 0, exec = w.exec();
  uint64_t lanes = (undefinedLanes(s, op->source[0], 1) | undefinedLanes(s, op->source[1], 1) | in) & exec;
  Origin origin;
  s.setLanes(op->destination, 1, exec, lanes, [&](unsigned lane) {
    Bits a = laneSource(w, s, op->source[0], lane, OperandType::u32);
    Bits b = laneSource(w, s, op->source[1], lane, OperandType::u32);
    uint64_t undefined = a.undefined | b.undefined | (in >> lane & 1);
    Origin from = a.undefined   ? laneOrigin(s, op->source[0], lane, 1)
                  : b.undefined ? laneOrigin(s, op->source[1], lane, 1)
                                : scalarOrigin(s, op->source[2], true);
    if (undefined && !out)
      origin = from;
    out |= uint64_t(undefined != 0) << lane;
    return Undefined{undefined | -undefined, from};
  });
  setScalarResult(w, s, op, op->scalarDestination, out, true, origin);
}

/// Clamp after a sum with carry: the carry determines the whole result.
void UninitCheck::saturateCarry(Wave &w, WaveShadow &s, const MicroOp *op) {
  uint64_t lanes = s.scalar64(op->scalarDestination) & w.exec();
  unsigned rows = Opcode(op->opcode) == Opcode::SaturateCarry64 ? 2 : 1;
  Origin origin = s.scalarOrigin(s.scalars[op->scalarDestination] ? op->scalarDestination : op->scalarDestination + 1);
  s.setLanes(op->destination, rows, 0, lanes, [&](unsigned) { return Undefined{~uint64_t(0), origin}; });
}

/// v_cndmask: where the mask is undefined, bits that are equal in both sources stay defined.
void UninitCheck::choose(Wave &w, WaveShadow &s, const MicroOp *op) {
  uint64_t exec = w.exec(), mask = w.scalarSource<uint64_t>(op->source[2]);
  uint64_t unknown = undefinedMask(s, op->source[2]);
  uint64_t lanes = (undefinedLanes(s, op->source[0], 1) | undefinedLanes(s, op->source[1], 1) | unknown) & exec;
  s.setLanes(op->destination, 1, exec, lanes, [&](unsigned lane) {
    Bits a = laneSource(w, s, op->source[0], lane, OperandType::u32);
    Bits b = laneSource(w, s, op->source[1], lane, OperandType::u32);
    if (unknown >> lane & 1)
      return Undefined{a.undefined | b.undefined | (a.value ^ b.value), scalarOrigin(s, op->source[2], true)};
    unsigned k = mask >> lane & 1;
    return Undefined{k ? b.undefined : a.undefined, laneOrigin(s, op->source[k], lane, 1)};
  });
}

/// v_mbcnt: counts the bits of a mask, or of half of one, that are set below the lane.
void UninitCheck::countBelow(Wave &w, WaveShadow &s, const MicroOp *op) {
  unsigned shift = Opcode(op->opcode) == Opcode::V_MBCNT_HI_U32_B32 ? 32 : 0;
  uint64_t exec = w.exec();
  uint64_t lanes = (undefinedLanes(s, op->source[0], 1) | undefinedLanes(s, op->source[1], 1)) & exec;
  s.setLanes(op->destination, 1, exec, lanes, [&](unsigned lane) {
    uint32_t below = uint32_t(((uint64_t(1) << lane) - 1) >> shift);
    Bits a = laneSource(w, s, op->source[0], lane, OperandType::u32);
    Bits b = laneSource(w, s, op->source[1], lane, OperandType::u32);
    uint64_t undefined = b.undefined | (a.undefined & below ? 1 : 0);
    return Undefined{undefined | -undefined, laneOrigin(s, op->source[b.undefined ? 1 : 0], lane, 1)};
  });
}

/// v_mad_u64_u32: undefined from the lowest undefined bit on, since the upper half of the addend is often garbage if
/// only the lower half of the result is used.
void UninitCheck::multiplyWide(Wave &w, WaveShadow &s, const MicroOp *op) {
  uint64_t exec = w.exec(), lanes = 0;
  for (unsigned k = 0; k < 3; ++k)
    lanes |= undefinedLanes(s, op->source[k], k == 2 ? 2 : 1) & exec;
  uint64_t carries = 0;
  Origin origin;
  s.setLanes(op->destination, 2, exec, lanes, [&](unsigned lane) {
    Undefined result;
    Bits source[3];
    for (unsigned k = 0; k < 3; ++k) {
      source[k] = laneSource(w, s, op->source[k], lane, k == 2 ? OperandType::u64 : OperandType::u32);
      if (source[k].undefined && result.origin.kind() == Origin::None)
        result.origin = laneOrigin(s, op->source[k], lane, k == 2 ? 2 : 1);
    }
    result.bits = apply(Rule::ProductSum, 64, false, source).undefined;
    if (result.bits && !carries)
      origin = result.origin;
    carries |= uint64_t(result.bits != 0) << lane;
    return result;
  });
  setScalarResult(w, s, op, op->scalarDestination, carries, true, origin);
}

/// v_div_scale sets a mask of the lanes that v_div_fmas, which reads VCC, scales back.
void UninitCheck::divide(Wave &w, WaveShadow &s, const MicroOp *op) {
  Opcode opcode = Opcode(op->opcode);
  bool scales = opcode == Opcode::V_DIV_SCALE_F32 || opcode == Opcode::V_DIV_SCALE_F64;
  unsigned rows = isDouble(opcode) ? 2 : 1;
  uint64_t exec = w.exec(), lanes = scales ? 0 : s.scalar64(sgpr::vcc);
  for (unsigned k = 0; k < 3; ++k)
    lanes |= undefinedLanes(s, op->source[k], rows);
  lanes &= exec;
  Origin origin;
  s.setLanes(op->destination, rows, exec, lanes, [&](unsigned lane) {
    Undefined result{~uint64_t(0), {}};
    for (unsigned k = 0; k < 3 && result.origin.kind() == Origin::None; ++k)
      result.origin = laneOrigin(s, op->source[k], lane, rows);
    if (result.origin.kind() == Origin::None)
      result.origin = scalarOrigin(s, sgpr::vcc * 4, true);
    if (origin.kind() == Origin::None)
      origin = result.origin;
    return result;
  });
  if (scales)
    setScalarResult(w, s, op, op->scalarDestination, lanes, true, origin);
}

} // namespace nstf::emulator::checks
