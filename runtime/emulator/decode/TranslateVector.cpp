// Translates vector instructions to micro-ops.
#include "runtime/emulator/decode/MicroOpFlags.h"
#include "runtime/emulator/decode/Translator.h"

#include <array>

namespace nstf::emulator {
namespace {

bool isPair16(OperandType t) {
  using enum OperandType;
  return t == v2f16 || t == v2u16 || t == v2i16 || t == v2f16raw;
}
bool isPair32(OperandType t) { return t == OperandType::v2f32 || t == OperandType::v2b32; }

/// The lane that lane i reads under DPP control `control`, or -1 (rows have 16 lanes).
int dppLane(unsigned control, int i) {
  int row = i & ~15, in = i & 15;
  if (control <= 0xff)
    return (i & ~3) | (control >> 2 * (i & 3) & 3);
  unsigned n = control & 15;
  switch (control >> 4) {
  case 0x10: // row_shl
    return in + n < 16 ? i + n : -1;
  case 0x11: // row_shr
    return in >= int(n) ? i - n : -1;
  case 0x12: // row_ror
    return row | ((in - n) & 15);
  case 0x13:
    switch (n) {
    case 0x0: // wave_shl
      return i < 63 ? i + 1 : -1;
    case 0x4: // wave_rol
      return (i + 1) & 63;
    case 0x8: // wave_shr
      return i - 1;
    case 0xc: // wave_ror
      return (i - 1) & 63;
    }
    return -1;
  case 0x14:
    switch (n) {
    case 0: // row_mirror
      return row | (15 - in);
    case 1: // row_half_mirror
      return (i & ~7) | (7 - (i & 7));
    case 2: // row_bcast:15
      return row ? row - 1 : -1;
    case 3: // row_bcast:31
      return i >= 32 ? 31 : -1;
    }
    return -1;
  case 0x15: // row_newbcast
    return row | n;
  }
  return -1;
}

/// f64 and f16 results are rounded by the setting for f64 and f16, whatever their sources; so are conversions from f64.
FloatMode floatModeOf(const InstructionInfo &info) {
  using enum OperandType;
  // These operate on bits, or are computed with more bits than rounding affects.
  for (const char *name : {"V_DIV_FIXUP_", "V_FREXP_", "V_EXP_", "V_LOG_", "V_SIN_", "V_COS_"})
    if (info.name.starts_with(name))
      return FloatMode::None;
  if (info.types[1] == f64)
    return FloatMode::HalfDouble;
  if (info.types[1] == f32 && info.types[0] == f64) // exact: only its source may be flushed
    return FloatMode::Single;
  for (OperandType t : info.types) {
    if (t == f32 || t == v2f32)
      return FloatMode::Single;
    if (t == f16 || t == f64 || t == v2f16)
      return FloatMode::HalfDouble;
  }
  return FloatMode::None;
}

} // namespace

SourceRef Translator::plainSource(const RawOperand &operand, OperandType type, unsigned k) {
  bool wide = getBits(type) == 64;
  switch (operand.kind) {
  case RawOperand::Vector:
    if (indexedOperands >> k & 1) {
      for (unsigned part = 0; part < (wide ? 2 : 1); ++part) {
        MicroOp &read = emit(Opcode::ReadIndexed);
        read.destination = uint16_t(temporary(k) + part);
        read.source[0] = rowRef(unsigned(operand.value) + part);
      }
      return rowRef(temporary(k));
    }
    return rowRef(unsigned(operand.value));
  case RawOperand::Scalar: {
    SourceRef source = scalarSource(operand);
    MicroOp &broadcast = emit(wide ? Opcode::Broadcast64 : Opcode::Broadcast32);
    broadcast.destination = uint16_t(temporary(k));
    broadcast.source[0] = source;
    return rowRef(temporary(k));
  }
  case RawOperand::Immediate:
    return constantRow(isPair32(type) ? uint32_t(operand.value) : uint64_t(operand.value), wide);
  default:
    throw Unsupported();
  }
}

SourceRef Translator::vectorSource(const RawOperand &operand, OperandType type, unsigned k, unsigned modifiers,
                                   int select) {
  SourceRef source = plainSource(operand, type, k);
  auto modify = [&](Opcode opcode, uint32_t flags) {
    MicroOp &op = emit(opcode);
    op.destination = uint16_t(temporary(k));
    op.source[0] = source;
    op.flags = flags;
    source = rowRef(temporary(k));
  };
  if (isPair16(type) || isPair32(type)) {
    if (modifiers != modOpSelHigh)
      modify(isPair16(type) ? Opcode::SelectHalves : Opcode::SelectPair,
             (modifiers & modOpSel ? packLowFromHigh : 0) | (modifiers & modOpSelHigh ? packHighFromHigh : 0) |
                 (modifiers & modNegate ? packNegateLow : 0) | (modifiers & modAbsolute ? packNegateHigh : 0));
    return source;
  }
  if (select >= 0) {
    bool extend = modifiers & modSignExtend;
    if (select != 6 || extend)
      modify(Opcode::SelectBytes, uint32_t(select) | (extend ? selectSignExtend : 0));
    if (!isFloat(type))
      return source;
  } else if (getBits(type) == 16 && (modifiers & modOpSel)) {
    modify(Opcode::SelectHigh16, 0);
  }
  if (uint32_t signs = modifiers & (modNegate | modAbsolute); signs && (isFloat(type) || getBits(type) == 16))
    modify(getBits(type) == 16 ? Opcode::Negate16 : getBits(type) == 64 ? Opcode::Negate64 : Opcode::Negate32, signs);
  return source;
}

/// DPP: moves the lanes of source 0, and narrows EXEC until LaneRestore. The control is in the last four immediates.
SourceRef Translator::permutedSource(const RawOperand &operand, OperandType type, unsigned modifiers,
                                     const std::vector<int64_t> &rest) {
  if (rest.size() < 4)
    throw Unsupported();
  size_t at = rest.size() - 4;
  unsigned row = vectorRow(operand);
  uint64_t valid = 0, enabled = 0;
  std::array<uint32_t, waveWidth> lanes;
  for (unsigned i = 0; i < waveWidth; ++i) {
    int lane = dppLane(unsigned(rest[at] & 0x1ff), int(i));
    lanes[i] = lane < 0 ? i : unsigned(lane);
    valid |= uint64_t(lane >= 0) << i;
    enabled |= uint64_t((rest[at + 1] >> (i / 16) & 1) && (rest[at + 2] >> (i / 4 % 4) & 1)) << i;
  }
  MicroOp &permute = emit(Opcode::LanePermute);
  permute.source[0] = rowRef(row);
  permute.source[1] = constantLanes(lanes);
  permute.source[2] = scalarConstant(valid);
  permute.destination = uint16_t(temporary(0));
  permute.immediate = enabled;
  permute.flags = (rest[at + 3] & 1 ? laneBound : 0) | (getBits(type) == 64 ? lanePair : 0);
  return vectorSource({RawOperand::Vector, 1, int64_t(temporary(0))}, type, 0, modifiers);
}

/// Applies clamp and output modifier after the instruction wrote `row`.
void Translator::finish(unsigned row, OperandType type, int64_t clamp, int64_t omod) {
  using enum OperandType;
  auto after = [&](Opcode opcode, int64_t flags, FloatMode mode = FloatMode::None) {
    MicroOp &op = emit(opcode);
    op.floatMode = uint8_t(mode);
    op.destination = uint16_t(row);
    op.flags = uint32_t(flags);
  };
  if (omod) {
    if (type == v2f16)
      after(Opcode::ScalePair16, omod, FloatMode::HalfDouble);
    else if (type == v2f32)
      for (unsigned k = 0; k < 2; ++k) {
        after(Opcode::Scale32, omod, FloatMode::Single);
        ops.back().destination = uint16_t(row + k);
      }
    else if (type == f16 || type == f32 || type == f64) // integers are not scaled
      after(type == f16   ? Opcode::Scale16
            : type == f32 ? Opcode::Scale32
                          : Opcode::Scale64,
            omod, type == f32 ? FloatMode::Single : FloatMode::HalfDouble);
  }
  if (clamp) {
    switch (type) {
    case f16:
      return after(Opcode::Clamp16, 0);
    case f32:
      return after(Opcode::Clamp32, 0);
    case f64:
      return after(Opcode::Clamp64, 0);
    case v2f16:
      return after(Opcode::ClampPair16, 0);
    case v2f32:
      return after(Opcode::ClampPair32, 0);
    default: // integers that cannot overflow
      return;
    }
  }
}

void Translator::vector(const RawInstruction &raw) {
  const Encoding &e = *raw.encoding;
  const InstructionInfo &info = getInfo(e.opcode);
  Cursor cursor{raw};
  unsigned destination = vectorRow(cursor.next());
  bool accumulates = info.form == Form::Accumulate;
  if (e.dpp && (!accumulates || e.opcode == Opcode::V_PK_FMAC_F16)) // LLVM does not know that it accumulates
    cursor.next();                                                  // repeats the old destination
  unsigned count = 0;
  while (count < 3 && info.types[count + 1] != OperandType::none)
    ++count;
  unsigned encoded = accumulates ? 2 : count;
  const RawOperand *operands[3];
  unsigned modifiers[3] = {};
  bool anyModifiers = false;
  for (unsigned k = 0; k < encoded; ++k) {
    unsigned before = cursor.at;
    operands[k] = &cursor.source(modifiers[k]);
    anyModifiers |= cursor.at - before == 2;
    if (cursor.at - before == 1 && (isPair16(info.types[k + 1]) || isPair32(info.types[k + 1])))
      modifiers[k] = modOpSelHigh; // v_dot2c has no op_sel
    else if (accumulates && isPair16(info.types[k + 1]))
      modifiers[k] |= modOpSelHigh; // nor does v_pk_fmac_f16 as VOP3
  }
  std::vector<int64_t> rest = cursor.rest();
  int selects[3] = {-1, -1, -1};
  int64_t clamp = 0, omod = 0;
  unsigned resultSelect = 6, resultUnused = 0;
  if (e.sdwa) {
    // clamp, [omod,] dst_sel, dst_unused, src0_sel[, src1_sel]
    unsigned fields = 2 + encoded;
    if (rest.size() < fields + 1)
      throw Unsupported();
    size_t at = rest.size() - fields;
    clamp = rest[0];
    omod = at > 1 ? rest[1] : 0;
    resultSelect = unsigned(rest[at]);
    resultUnused = unsigned(rest[at + 1]);
    for (unsigned k = 0; k < encoded; ++k)
      selects[k] = int(rest[at + 2 + k]);
  } else if (!e.dpp) {
    clamp = rest.size() > 0 ? rest[0] : 0;
    omod = rest.size() > 1 ? rest[1] : 0;
  } else if (rest.size() < 4) {
    throw Unsupported();
  }

  SourceRef sources[3] = {};
  for (unsigned k = 0; k < encoded; ++k) {
    if (k == 0 && e.dpp) {
      sources[0] = permutedSource(*operands[0], info.types[1], modifiers[0], rest);
    } else {
      sources[k] = vectorSource(*operands[k], info.types[k + 1], k, modifiers[k], selects[k]);
    }
  }
  if (accumulates)
    sources[2] = rowRef(destination);

  // 16-bit VOP3 instructions may write the upper half and keep the lower one; some keep the upper one too.
  bool toHigh = getBits(info.types[0]) == 16 && !e.sdwa && !e.dpp && anyModifiers && (modifiers[0] & modOpSelHigh);
  bool half = toHigh || (getBits(info.types[0]) == 16 && !e.sdwa && !e.dpp && anyModifiers && e.keepsHalf);
  bool partial = (e.sdwa && resultSelect != 6) || half || (indexedOperands & 8);
  unsigned row = partial ? resultTemporary : destination;
  Opcode opcode = e.opcode;
  OperandType resultType = e.opcode == Opcode::V_CVT_PKRTZ_F16_F32 ? OperandType::v2f16 : info.types[0];
  if (clamp && !isFloat(resultType)) { // instructions that can overflow saturate
    Opcode saturating = findOpcode(e.name + "_CLAMP");
    if (saturating != Opcode::Trap)
      opcode = saturating;
  }
  MicroOp &op = emit(opcode);
  op.destination = uint16_t(row);
  std::copy(std::begin(sources), std::end(sources), op.source);
  op.floatMode = uint8_t(floatModeOf(info));
  if (clamp || omod)
    finish(row, resultType, clamp, omod);
  if (indexedOperands & 8) {
    if ((e.sdwa && resultSelect != 6) || half)
      throw Unsupported();
    writeIndexed(destination, getBits(info.types[0]) == 64 ? 2 : 1);
  } else if (partial) {
    MicroOp &merge = emit(half ? Opcode::MergeHalf : Opcode::MergeBytes);
    merge.destination = uint16_t(destination);
    merge.source[0] = rowRef(row);
    merge.flags = half ? (toHigh ? 1 : 0) : resultSelect | resultUnused << 4;
  }
  if (e.dpp)
    emit(Opcode::LaneRestore);
}

void Translator::compare(const RawInstruction &raw) {
  const Encoding &e = *raw.encoding;
  const InstructionInfo &info = getInfo(e.opcode);
  Cursor cursor{raw};
  unsigned destination =
      e.definitions && raw.operands[0].kind == RawOperand::Scalar ? unsigned(cursor.next().value) : sgpr::vcc;
  unsigned modifiers[2];
  const RawOperand *operands[2];
  for (unsigned k = 0; k < 2; ++k)
    operands[k] = &cursor.source(modifiers[k]);
  std::vector<int64_t> rest = cursor.rest();
  SourceRef sources[2];
  for (unsigned k = 0; k < 2; ++k)
    sources[k] = vectorSource(*operands[k], info.types[k + 1], k, modifiers[k],
                              e.sdwa && rest.size() >= 2 ? int(rest[rest.size() - 2 + k]) : -1);
  MicroOp &op = emit(e.opcode);
  op.scalarDestination = uint16_t(destination);
  op.source[0] = sources[0];
  op.source[1] = sources[1];
  op.floatMode = uint8_t(floatModeOf(info));
}

void Translator::carry(const RawInstruction &raw) {
  const Encoding &e = *raw.encoding;
  Cursor cursor{raw};
  unsigned destination = vectorRow(cursor.next()), carryOut = sgpr::vcc;
  if (e.definitions > 1)
    carryOut = unsigned(cursor.next().value);
  if (e.dpp)
    cursor.next();
  unsigned modifiers[2];
  const RawOperand *operands[2];
  for (unsigned k = 0; k < 2; ++k)
    operands[k] = &cursor.source(modifiers[k]);
  SourceRef carryIn = sgpr::vcc * 4;
  if (!cursor.done() && raw.operands[cursor.at].kind == RawOperand::Scalar)
    carryIn = scalarSource(cursor.next());
  std::vector<int64_t> rest = cursor.rest();
  bool clamp = !e.dpp && !rest.empty() && rest[0];
  unsigned row = destination, select = 6, unused = 0;
  if (e.sdwa) {
    if (rest.size() < 4)
      throw Unsupported();
    select = unsigned(rest[rest.size() - 4]);
    unused = unsigned(rest[rest.size() - 3]);
  }
  SourceRef sources[2];
  for (unsigned k = 0; k < 2; ++k)
    sources[k] = e.dpp && k == 0 ? permutedSource(*operands[0], OperandType::u32, 0, rest)
                                 : vectorSource(*operands[k], OperandType::u32, k, modifiers[k],
                                                e.sdwa ? int(rest[rest.size() - 2 + k]) : -1);
  if (select != 6)
    row = resultTemporary;
  MicroOp &op = emit(e.opcode);
  op.destination = uint16_t(row);
  op.scalarDestination = uint16_t(carryOut);
  op.source[0] = sources[0];
  op.source[1] = sources[1];
  op.source[2] = carryIn;
  if (clamp) {
    MicroOp &saturate = emit(Opcode::SaturateCarry32);
    saturate.destination = uint16_t(row);
    saturate.scalarDestination = uint16_t(carryOut);
    saturate.flags = e.name.starts_with("V_SUB") ? saturateToZero : 0;
  }
  if (select != 6) {
    MicroOp &merge = emit(Opcode::MergeBytes);
    merge.destination = uint16_t(destination);
    merge.source[0] = rowRef(row);
    merge.flags = select | unused << 4;
  }
  if (e.dpp)
    emit(Opcode::LaneRestore);
}

} // namespace nstf::emulator
