// Translates vector instructions with special operands, and matrix instructions.
#include "runtime/emulator/decode/MicroOpFlags.h"
#include "runtime/emulator/decode/Translator.h"

#include <algorithm>

namespace nstf::emulator {

void Translator::mixedFma(const RawInstruction &raw) {
  Cursor cursor{raw};
  unsigned destination = vectorRow(cursor.next());
  uint32_t flags = 0;
  SourceRef sources[3];
  for (unsigned k = 0; k < 3; ++k) {
    unsigned modifiers;
    const RawOperand &operand = cursor.source(modifiers);
    bool isHalf = modifiers & modOpSelHigh;
    sources[k] = plainSource(operand, OperandType::u32, k);
    flags |= uint32_t(isHalf) << k | uint32_t(isHalf && (modifiers & modOpSel)) << (4 + k) |
             uint32_t((modifiers & modAbsolute) != 0) << (8 + k) | uint32_t((modifiers & modNegate) != 0) << (12 + k);
  }
  std::vector<int64_t> rest = cursor.rest();
  if (!rest.empty() && rest[0])
    flags |= 1u << 16;
  MicroOp &op = emit(raw.encoding->opcode);
  op.destination = uint16_t(destination);
  std::copy(std::begin(sources), std::end(sources), op.source);
  op.flags = flags;
  op.floatMode = uint8_t(FloatMode::Single);
}

void Translator::crossLane(const RawInstruction &raw) {
  using enum OperandType;
  const Encoding &e = *raw.encoding;
  Cursor cursor{raw};
  unsigned modifiers;
  switch (e.opcode) {
  case Opcode::V_CNDMASK_B32: {
    unsigned destination = vectorRow(cursor.next());
    if (e.dpp)
      cursor.next();
    unsigned mods[2];
    const RawOperand *operands[2];
    for (unsigned k = 0; k < 2; ++k)
      operands[k] = &cursor.source(mods[k]);
    SourceRef mask = sgpr::vcc * 4;
    if (!cursor.done() && raw.operands[cursor.at].kind != RawOperand::Immediate)
      mask = scalarSource(cursor.next());
    else if (e.vop3 && !cursor.done())
      mask = scalarConstant(uint64_t(cursor.next().value));
    std::vector<int64_t> rest = cursor.rest();
    SourceRef sources[2];
    unsigned row = destination, select = 6, unused = 0;
    if (e.sdwa) {
      if (rest.size() < 4)
        throw Unsupported();
      select = unsigned(rest[rest.size() - 4]);
      unused = unsigned(rest[rest.size() - 3]);
    }
    for (unsigned k = 0; k < 2; ++k) {
      if (e.dpp && k == 0) {
        sources[0] = permutedSource(*operands[0], f32, mods[0], rest);
        continue;
      }
      sources[k] = vectorSource(*operands[k], f32, k, mods[k], e.sdwa ? int(rest[rest.size() - 2 + k]) : -1);
    }
    if (select != 6)
      row = resultTemporary;
    MicroOp &op = emit(e.opcode);
    op.destination = uint16_t(row);
    op.source[0] = sources[0];
    op.source[1] = sources[1];
    op.source[2] = mask;
    if (select != 6) {
      MicroOp &merge = emit(Opcode::MergeBytes);
      merge.destination = uint16_t(destination);
      merge.source[0] = rowRef(row);
      merge.flags = select | unused << 4;
    }
    if (e.dpp)
      emit(Opcode::LaneRestore);
    return;
  }
  case Opcode::V_READFIRSTLANE_B32:
  case Opcode::V_READLANE_B32: {
    unsigned destination = unsigned(cursor.next().value);
    vectorRow(raw.operands[cursor.at]); // must be a vector register
    SourceRef source = plainSource(cursor.next(), u32, 0);
    SourceRef lane = e.opcode == Opcode::V_READLANE_B32 ? scalarSource(cursor.next()) : 0;
    MicroOp &op = emit(e.opcode);
    op.scalarDestination = uint16_t(destination);
    op.source[0] = source;
    op.source[1] = lane;
    return;
  }
  case Opcode::V_WRITELANE_B32: {
    unsigned destination = vectorRow(cursor.next());
    SourceRef value = scalarSource(cursor.next()), lane = scalarSource(cursor.next());
    MicroOp &op = emit(e.opcode);
    op.destination = uint16_t(destination);
    op.source[0] = value;
    op.source[1] = lane;
    return;
  }
  case Opcode::V_SWAP_B32: {
    unsigned a = vectorRow(cursor.next()), b = vectorRow(cursor.next());
    MicroOp &op = emit(e.opcode);
    op.destination = uint16_t(a);
    op.scalarDestination = uint16_t(b);
    return;
  }
  case Opcode::V_MBCNT_LO_U32_B32:
  case Opcode::V_MBCNT_HI_U32_B32: {
    unsigned destination = vectorRow(cursor.next());
    SourceRef a = plainSource(cursor.source(modifiers), u32, 0);
    SourceRef b = plainSource(cursor.source(modifiers), u32, 1);
    MicroOp &op = emit(e.opcode);
    op.destination = uint16_t(destination);
    op.source[0] = a;
    op.source[1] = b;
    return;
  }
  case Opcode::V_MAD_U64_U32:
  case Opcode::V_MAD_I64_I32:
  case Opcode::V_DIV_SCALE_F32:
  case Opcode::V_DIV_SCALE_F64:
  case Opcode::V_DIV_FMAS_F32:
  case Opcode::V_DIV_FMAS_F64: {
    unsigned destination = vectorRow(cursor.next());
    unsigned carryOut = e.definitions > 1 ? unsigned(cursor.next().value) : sgpr::vcc;
    bool wideMad = e.opcode == Opcode::V_MAD_U64_U32 || e.opcode == Opcode::V_MAD_I64_I32;
    bool isDouble = e.opcode == Opcode::V_DIV_SCALE_F64 || e.opcode == Opcode::V_DIV_FMAS_F64;
    SourceRef sources[3];
    for (unsigned k = 0; k < 3; ++k) {
      const RawOperand &operand = cursor.source(modifiers);
      sources[k] = vectorSource(operand, wideMad ? (k == 2 ? u64 : u32) : isDouble ? f64 : f32, k, modifiers);
    }
    std::vector<int64_t> rest = cursor.rest();
    MicroOp &op = emit(e.opcode);
    op.destination = uint16_t(destination);
    op.scalarDestination = uint16_t(carryOut);
    std::copy(std::begin(sources), std::end(sources), op.source);
    op.floatMode = uint8_t(wideMad ? FloatMode::None : isDouble ? FloatMode::HalfDouble : FloatMode::Single);
    if (wideMad && !rest.empty() && rest[0]) {
      MicroOp &saturate = emit(Opcode::SaturateCarry64);
      saturate.destination = uint16_t(destination);
      saturate.scalarDestination = uint16_t(carryOut);
      saturate.flags = e.opcode == Opcode::V_MAD_I64_I32 ? saturateSigned : 0;
    }
    if (!wideMad)
      finish(destination, isDouble ? f64 : f32, rest.size() > 0 ? rest[0] : 0, rest.size() > 1 ? rest[1] : 0);
    return;
  }
  case Opcode::V_MQSAD_U32_U8: {
    unsigned destination = vectorRow(cursor.next());
    SourceRef a = plainSource(cursor.source(modifiers), u64, 0), b = plainSource(cursor.source(modifiers), u32, 1);
    SourceRef accumulator = rowRef(vectorRow(cursor.source(modifiers)));
    std::vector<int64_t> rest = cursor.rest();
    MicroOp &op = emit(!rest.empty() && rest[0] ? Opcode::V_MQSAD_U32_U8_CLAMP : e.opcode);
    op.destination = uint16_t(destination);
    op.source[0] = a;
    op.source[1] = b;
    op.source[2] = accumulator;
    return;
  }
  case Opcode::V_FMA_MIX_F32:
  case Opcode::V_FMA_MIXLO_F16:
  case Opcode::V_FMA_MIXHI_F16:
    return mixedFma(raw);
  default:
    return conversionFp8(raw);
  }
}

/// fp8 conversions: op_sel selects the byte or half of a source and the place of the result. In the handler's flags,
/// bit k is op_sel of source k (bits 0 to 2), and bit 3 is op_sel of the result.
void Translator::conversionFp8(const RawInstruction &raw) {
  const Encoding &e = *raw.encoding;
  bool fromByte = e.name.starts_with("V_CVT_F32_") || e.name.starts_with("V_CVT_PK_F32_");
  bool stochastic = e.name.starts_with("V_CVT_SR_");
  Cursor cursor{raw};
  unsigned destination = vectorRow(cursor.next());
  if (e.dpp)
    cursor.next(); // repeats the old destination
  uint32_t flags = 0;
  SourceRef sources[2] = {};
  for (unsigned k = 0; k < (fromByte ? 1 : 2); ++k) {
    unsigned modifiers;
    const RawOperand &operand = cursor.source(modifiers);
    OperandType type = fromByte || (stochastic && k == 1) ? OperandType::u32 : OperandType::f32;
    sources[k] = e.dpp ? permutedSource(operand, type, 0, cursor.rest())
                       : vectorSource(operand, type, k, modifiers & (modNegate | modAbsolute));
    if (modifiers & modOpSel)
      flags |= 1u << k;
    if (k == 0 && (modifiers & modOpSelHigh))
      flags |= 8;
  }
  if (stochastic && !cursor.done() && raw.operands[cursor.at].kind == RawOperand::Modifiers)
    flags |= cursor.next().value & modOpSel; // op_sel[2]: low bit of the byte's index
  std::vector<int64_t> rest = cursor.rest();
  if (e.sdwa && rest.size() >= 1) { // the source's byte or half; results are whole registers
    if (rest.size() >= 4 && rest[rest.size() - 3] != 6)
      throw Unsupported();
    unsigned select = unsigned(rest.back());
    flags = select < 4 ? select << 4 | 1u << 8 : select < 6 ? (select - 4) << 5 | 1u << 8 : 0;
  }
  MicroOp &op = emit(e.opcode);
  op.destination = uint16_t(destination);
  op.source[0] = sources[0];
  op.source[1] = sources[1];
  op.flags = flags;
  if (fromByte && !e.dpp && rest.size() >= 2)
    finish(destination, e.name.starts_with("V_CVT_PK_") ? OperandType::v2f32 : OperandType::f32, rest[0], rest[1]);
  if (e.dpp)
    emit(Opcode::LaneRestore);
}

void Translator::matrix(const RawInstruction &raw) {
  Cursor cursor{raw};
  unsigned destination = vectorRow(cursor.next());
  SourceRef a = rowRef(vectorRow(cursor.next())), b = rowRef(vectorRow(cursor.next()));
  const RawOperand &c = cursor.next(); // for sparse forms the index; their addend is the destination
  bool constant = c.kind == RawOperand::Immediate;
  SourceRef addend = constant ? constantRow(uint64_t(c.value), true) : rowRef(vectorRow(c));
  std::vector<int64_t> rest = cursor.rest();
  rest.resize(3);
  MicroOp &op = emit(raw.encoding->opcode);
  op.destination = uint16_t(destination);
  op.source[0] = a;
  op.source[1] = b;
  bool sparse = raw.encoding->name.starts_with("V_SMFMAC_");
  op.source[2] = sparse ? rowRef(destination) : addend;
  op.source[3] = sparse ? addend : 0;
  op.immediate = uint64_t(rest[0] & 7) | uint64_t(rest[1] & 15) << 8 | uint64_t(rest[2] & 7) << 16;
  op.flags = constant ? matrixConstant : 0;
}

} // namespace nstf::emulator
