// Tracks undefined bits through the scalar ALU and control flow.
#include "runtime/emulator/checks/UninitCheck.h"

namespace nstf::emulator::checks {

Bits UninitCheck::scalarSource(const Wave &w, const WaveShadow &s, SourceRef ref, bool wide) const {
  Bits bits;
  bits.value = wide ? w.scalarSource<uint64_t>(ref) : w.scalarSource<uint32_t>(ref);
  if (isRegister(ref))
    bits.undefined = wide ? s.scalar64(getScalar(ref)) : s.scalars[getScalar(ref)];
  return bits;
}
Origin UninitCheck::scalarOrigin(const WaveShadow &s, SourceRef ref, bool wide) const {
  if (!isRegister(ref))
    return {};
  unsigned index = getScalar(ref);
  return s.scalarOrigin(wide && !s.scalars[index] ? index + 1 : index);
}

void UninitCheck::checkBranch(Wave &w, const MicroOp *op, const char *what, Origin origin) {
  report(w, op, Branch, std::string(what) + " is undefined where a branch depends on it", origin, 0);
}

void UninitCheck::checkExec(Wave &w, WaveShadow &s, const MicroOp *op) {
  uint64_t lanes = s.scalar64(sgpr::exec);
  for (unsigned i = 0; i < s.choiceDepth; ++i) // within a choice, the lane's results are undefined anyway
    lanes &= ~s.choices[i].lanes;
  if (!lanes)
    return s.setScalar64(sgpr::exec, 0, {});
  Origin origin = s.scalarOrigin(s.scalars[sgpr::exec] ? sgpr::exec : sgpr::exec + 1);
  report(w, op, ExecMask, "the condition that sets EXEC is undefined", origin, lanes);
  s.setScalar64(sgpr::exec, 0, {});
}

/// M0 as a register index, of which the bits in `used` are read.
void UninitCheck::checkIndex(Wave &w, WaveShadow &s, const MicroOp *op, uint32_t used) {
  if (!(s.scalars[sgpr::m0] & used))
    return;
  report(w, op, Index, "a register's index (M0) is undefined", s.scalarOrigin(sgpr::m0), 0);
  s.scalars[sgpr::m0] &= ~used;
}

void UninitCheck::setScalarResult(Wave &w, WaveShadow &s, const MicroOp *op, unsigned index, uint64_t undefined,
                                  bool wide, Origin origin) {
  if (wide)
    s.setScalar64(index, undefined, origin);
  else
    s.setScalar(index, uint32_t(undefined), origin);
  if (undefined && index >= sgpr::exec && index <= sgpr::exec + 1)
    checkExec(w, s, op);
}

namespace {
/// Instructions that set SCC to whether the result is nonzero, or to whether they counted any bit. For all others that
/// write SCC, any undefined bit makes it undefined.
enum class SccRule : uint8_t { Kept, Nonzero, Ones, Zeros, Any };
/// Whether it is undefined if all of `bits` are zero.
bool zeroUndefined(Bits bits) { return bits.undefined && !(bits.value & ~bits.undefined); }
SccRule sccRule(Rule rule, Opcode opcode) {
  switch (rule) {
  case Rule::And:
  case Rule::AndNot:
  case Rule::Or:
  case Rule::OrNot:
  case Rule::Xor:
  case Rule::ShiftLeft:
  case Rule::ShiftRight:
  case Rule::ExtractScalarField:
  case Rule::Quads:
  case Rule::QuadMask:
    return SccRule::Nonzero;
  case Rule::Move:
    return opcode == Opcode::S_NOT_B32 || opcode == Opcode::S_NOT_B64 ? SccRule::Nonzero : SccRule::Kept;
  case Rule::Upwards:
    return SccRule::Any;
  default:
    break;
  }
  switch (opcode) {
  case Opcode::S_MIN_I32:
  case Opcode::S_MIN_U32:
  case Opcode::S_MAX_I32:
  case Opcode::S_MAX_U32:
  case Opcode::S_ABSDIFF_I32:
  case Opcode::S_ABS_I32:
    return SccRule::Any;
  case Opcode::S_BCNT0_I32_B32:
  case Opcode::S_BCNT0_I32_B64:
    return SccRule::Zeros;
  case Opcode::S_BCNT1_I32_B32:
  case Opcode::S_BCNT1_I32_B64:
    return SccRule::Ones;
  default:
    return SccRule::Kept;
  }
}
bool wideType(OperandType type) { return getBits(type) == 64; }
} // namespace

void UninitCheck::saveExec(Wave &w, WaveShadow &s, const MicroOp *op, Bits source) {
  uint64_t exec = w.exec(), undefined = source.undefined;
  switch (Opcode(op->opcode)) {
  case Opcode::S_AND_SAVEEXEC_B64:
  case Opcode::S_NAND_SAVEEXEC_B64:
  case Opcode::S_ANDN1_SAVEEXEC_B64:
  case Opcode::S_ANDN1_WREXEC_B64:
    undefined &= exec;
    break;
  case Opcode::S_XOR_SAVEEXEC_B64:
  case Opcode::S_XNOR_SAVEEXEC_B64:
    break;
  case Opcode::S_ANDN2_SAVEEXEC_B64:
  case Opcode::S_ANDN2_WREXEC_B64:
  case Opcode::S_OR_SAVEEXEC_B64:
  case Opcode::S_NOR_SAVEEXEC_B64:
  case Opcode::S_ORN1_SAVEEXEC_B64:
    undefined &= ~exec;
    break;
  default: // orn2: source | ~EXEC
    undefined &= exec;
  }
  Origin origin = scalarOrigin(s, op->source[0], true);
  if (undefined && Opcode(op->opcode) == Opcode::S_AND_SAVEEXEC_B64 && beginChoice(s, op, undefined, origin))
    undefined = 0;
  s.setScalar64(sgpr::exec, undefined, origin);
  checkExec(w, s, op);
  s.scalars[sgpr::scc] = 0;
  s.setScalar64(op->destination, 0, {});
}

void UninitCheck::scalar(Wave &w, WaveShadow &s, const MicroOp *op) {
  Opcode opcode = Opcode(op->opcode);
  const OpRule &rule = getRule(opcode);
  Bits source[3];
  Origin origin;
  for (unsigned k = 0; k < rule.sources; ++k) {
    bool wide = wideType(rule.types[k + 1]);
    source[k] = scalarSource(w, s, op->source[k], wide);
    if (source[k].undefined && origin.kind() == Origin::None)
      origin = scalarOrigin(s, op->source[k], wide);
  }
  uint64_t undefined = source[0].undefined | source[1].undefined;
  bool wide = wideType(rule.types[0]);
  std::string_view name = getInfo(opcode).name;
  if (name.find("_SAVEEXEC_") != name.npos || name.find("_WREXEC_") != name.npos)
    return saveExec(w, s, op, source[0]);
  if (getInfo(opcode).form == Form::ScalarCompare) {
    unsigned width = getBits(rule.types[1]);
    bool unknown = comparisonUndefined(rule, width, isSignedType(rule.types[1]), source[0], source[1]);
    if (name.starts_with("S_BITCMP"))
      unknown = source[1].undefined & (width - 1) || source[0].undefined >> (source[1].value & (width - 1)) & 1;
    s.setScalar(sgpr::scc, unknown, origin);
    return;
  }
  bool sccUndefined = s.scalars[sgpr::scc];
  uint64_t old = wide ? s.scalar64(op->destination) : s.scalars[op->destination];
  auto choose = [&](Bits ifSet, Bits ifClear, Origin originClear) {
    if (sccUndefined) {
      undefined = ifSet.undefined | ifClear.undefined | (ifSet.value ^ ifClear.value);
      origin = s.scalarOrigin(sgpr::scc);
      return;
    }
    undefined = w.scc() ? ifSet.undefined : ifClear.undefined;
    if (!w.scc() && ifClear.undefined)
      origin = originClear;
    else if (w.scc())
      origin = scalarOrigin(s, op->source[0], wide);
  };
  switch (opcode) {
  case Opcode::S_CSELECT_B32:
  case Opcode::S_CSELECT_B64:
    choose(source[0], source[1], scalarOrigin(s, op->source[1], wide));
    return setScalarResult(w, s, op, op->destination, undefined, wide, origin);
  case Opcode::S_CMOV_B32:
  case Opcode::S_CMOV_B64: {
    Bits kept{wide ? w.scalar64(op->destination) : w.scalars[op->destination], old};
    choose(source[0], kept, s.scalarOrigin(op->destination));
    return setScalarResult(w, s, op, op->destination, undefined, wide, origin);
  }
  case Opcode::S_BITSET0_B32:
  case Opcode::S_BITSET0_B64:
  case Opcode::S_BITSET1_B32:
  case Opcode::S_BITSET1_B64: {
    unsigned mask = wide ? 63 : 31;
    undefined = source[0].undefined & mask ? ~uint64_t(0) : old & ~(uint64_t(1) << (source[0].value & mask));
    if (!source[0].undefined)
      origin = s.scalarOrigin(op->destination);
    return setScalarResult(w, s, op, op->destination, undefined, wide, origin);
  }
  default:
    break;
  }
  bool carries = opcode == Opcode::S_ADDC_U32 || opcode == Opcode::S_SUBB_U32;
  if (carries && sccUndefined) {
    source[2].undefined = 1;
    if (!undefined)
      origin = s.scalarOrigin(sgpr::scc);
    undefined |= 1;
  }
  if (!undefined) {
    // The usual case: no operand is undefined, so the results are defined.
    if (sccRule(rule.rule, opcode) != SccRule::Kept)
      s.scalars[sgpr::scc] = 0;
    return setScalarResult(w, s, op, op->destination, 0, wide, {});
  }
  Bits result = apply(rule.rule, wide ? 64 : 32, isSignedType(rule.types[0]), source);
  if (opcode == Opcode::S_BITREPLICATE_B64_B32) {
    result.undefined = 0;
    for (unsigned i = 0; i < 32; ++i)
      result.undefined |= (source[0].undefined >> i & 1) * 3 << 2 * i;
  }
  switch (sccRule(rule.rule, opcode)) {
  case SccRule::Kept:
    break;
  case SccRule::Nonzero:
    if (opcode == Opcode::S_NAND_B32 || opcode == Opcode::S_NAND_B64 || opcode == Opcode::S_NOR_B32 ||
        opcode == Opcode::S_NOR_B64 || opcode == Opcode::S_XNOR_B32 || opcode == Opcode::S_XNOR_B64 ||
        opcode == Opcode::S_NOT_B32 || opcode == Opcode::S_NOT_B64)
      result.value = ~result.value & getMask(wide ? 64 : 32);
    s.setScalar(sgpr::scc, zeroUndefined(result), origin);
    break;
  case SccRule::Ones:
    s.setScalar(sgpr::scc, zeroUndefined(source[0]), origin);
    break;
  case SccRule::Zeros: {
    unsigned width = getBits(rule.types[1]);
    s.setScalar(sgpr::scc, zeroUndefined({~source[0].value & getMask(width), source[0].undefined}), origin);
    break;
  }
  case SccRule::Any:
    s.setScalar(sgpr::scc, 1, origin);
  }
  setScalarResult(w, s, op, op->destination, result.undefined, wide, origin);
}

void UninitCheck::scalarImmediate(Wave &w, WaveShadow &s, const MicroOp *op) {
  Opcode opcode = Opcode(op->opcode);
  if (getInfo(opcode).form == Form::ScalarCompareImmediate) {
    const OpRule &rule = getRule(opcode);
    Bits a = scalarSource(w, s, op->source[0], false);
    bool isSigned = isSignedType(rule.types[1]);
    Bits k{isSigned ? uint32_t(int32_t(int16_t(op->immediate))) : uint16_t(op->immediate), 0};
    s.setScalar(sgpr::scc, comparisonUndefined(rule, 32, isSigned, a, k), scalarOrigin(s, op->source[0], false));
    return;
  }
  uint32_t old = s.scalars[op->destination];
  Origin origin = s.scalarOrigin(op->destination);
  switch (opcode) {
  case Opcode::S_MOVK_I32:
    return setScalarResult(w, s, op, op->destination, 0, false, {});
  case Opcode::S_CMOVK_I32:
    if (s.scalars[sgpr::scc]) {
      uint32_t k = uint32_t(int32_t(int16_t(op->immediate)));
      return setScalarResult(w, s, op, op->destination, old | (w.scalars[op->destination] ^ k), false,
                             s.scalarOrigin(sgpr::scc));
    }
    return setScalarResult(w, s, op, op->destination, w.scc() ? 0 : old, false, origin);
  case Opcode::S_ADDK_I32:
    s.setScalar(sgpr::scc, old != 0, origin);
    [[fallthrough]];
  default:
    return setScalarResult(w, s, op, op->destination, old | -old, false, origin);
  }
}

void UninitCheck::control(Wave &w, WaveShadow &s, const MicroOp *op) {
  auto zeroTest = [&](unsigned index, const char *name) {
    uint64_t undefined = s.scalar64(index);
    // A bit that is defined and set decides.
    if (!zeroUndefined({w.scalar64(index), undefined}))
      return;
    checkBranch(w, op, name, s.scalarOrigin(s.scalars[index] ? index : index + 1));
    s.setScalar64(index, 0, {});
  };
  switch (Opcode(op->opcode)) {
  case Opcode::S_CBRANCH_SCC0:
  case Opcode::S_CBRANCH_SCC1:
    if (s.scalars[sgpr::scc]) {
      checkBranch(w, op, "SCC", s.scalarOrigin(sgpr::scc));
      s.setScalar(sgpr::scc, 0, {});
    }
    return;
  case Opcode::S_CBRANCH_VCCZ:
  case Opcode::S_CBRANCH_VCCNZ:
    return zeroTest(sgpr::vcc, "VCC");
  case Opcode::S_SETPC_B64:
  case Opcode::S_SWAPPC_B64: {
    Bits target = scalarSource(w, s, op->source[0], true);
    if (target.undefined)
      checkBranch(w, op, "the target", scalarOrigin(s, op->source[0], true));
    if (Opcode(op->opcode) == Opcode::S_SWAPPC_B64)
      s.setScalar64(op->destination, 0, {});
    return;
  }
  case Opcode::S_CALL_B64:
  case Opcode::S_GETPC_B64:
  case Opcode::S_MEMTIME:
  case Opcode::S_MEMREALTIME:
    return s.setScalar64(op->destination, 0, {});
  case Opcode::S_GETREG_B32:
    return s.setScalar(op->destination, 0, {});
  case Opcode::S_SET_GPR_IDX_ON: {
    Bits index = scalarSource(w, s, op->source[0], false);
    uint32_t kept = s.scalars[sgpr::m0] & 0xffff0f00 & ~0xf000u;
    s.setScalar(sgpr::m0, kept | (uint32_t(index.undefined) & 0xff), scalarOrigin(s, op->source[0], false));
    return;
  }
  case Opcode::S_SET_GPR_IDX_IDX: {
    Bits index = scalarSource(w, s, op->source[0], false);
    uint32_t kept = s.scalars[sgpr::m0] & 0xffffff00;
    s.setScalar(sgpr::m0, kept | (uint32_t(index.undefined) & 0xff), scalarOrigin(s, op->source[0], false));
    return;
  }
  case Opcode::S_MOVRELS_B32:
  case Opcode::S_MOVRELS_B64:
  case Opcode::S_MOVRELD_B32:
  case Opcode::S_MOVRELD_B64:
    return moveRelative(w, s, op);
  default:
    return;
  }
}

/// s_movrels, s_movreld: one of the two SGPRs is indexed by its number plus M0.
void UninitCheck::moveRelative(Wave &w, WaveShadow &s, const MicroOp *op) {
  Opcode opcode = Opcode(op->opcode);
  bool wide = opcode == Opcode::S_MOVRELS_B64 || opcode == Opcode::S_MOVRELD_B64;
  bool from = opcode == Opcode::S_MOVRELS_B32 || opcode == Opcode::S_MOVRELS_B64;
  checkIndex(w, s, op, ~0u);
  uint64_t index = uint64_t(from ? op->scalarDestination : op->destination) + w.scalars[sgpr::m0];
  if (index + wide >= sgpr::flatScratch)
    return; // the instruction faults
  SourceRef source = from ? SourceRef(index * 4) : op->source[0];
  setScalarResult(w, s, op, from ? op->destination : unsigned(index), scalarSource(w, s, source, wide).undefined, wide,
                  scalarOrigin(s, source, wide));
}

} // namespace nstf::emulator::checks
