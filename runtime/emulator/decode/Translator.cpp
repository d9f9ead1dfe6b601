#include "runtime/emulator/decode/Translator.h"
#include "runtime/emulator/decode/NotExecuted.h"
#include "runtime/emulator/decode/Target.h"

namespace nstf::emulator {

/// VALU, LDS and vector memory, and the micro-ops around them.
static bool isVector(Opcode opcode) {
  if (opcode >= Opcode::Trap)
    return opcode != Opcode::Trap && opcode != Opcode::ScalarCondition;
  Form form = infoOf(opcode).form;
  return form >= Form::Vector && form != Form::Cache;
}

constexpr uint32_t noOp = ~0u;

static unsigned reasonFor(const std::string &name) {
  std::span<const NotExecuted> list = notExecuted();
  for (unsigned i = 0; i < list.size(); ++i)
    if (list[i].name == name)
      return trapReason::listed + i;
  return trapReason::unknown;
}

const RawOperand &Translator::Cursor::next() {
  if (done())
    throw Unsupported();
  return raw.operands[at++];
}
const RawOperand &Translator::Cursor::source(unsigned &modifiers) {
  modifiers = 0;
  const RawOperand *operand = &next();
  bool modified = operand->kind == RawOperand::Modifiers;
  if (modified) {
    modifiers = unsigned(operand->value);
    operand = &next();
  }
  return *operand;
}
std::vector<int64_t> Translator::Cursor::rest() const {
  std::vector<int64_t> values;
  for (unsigned i = at; i < raw.operands.size(); ++i)
    if (raw.operands[i].kind == RawOperand::Immediate)
      values.push_back(raw.operands[i].value);
  return values;
}

Translator::Translator(const Target &target, DecodedProgram &program, const HandlerTable &handlers)
    : target(target), program(program), handlers(handlers), disassembler(target) {
  constantRow(0, true);
}

void Translator::run(std::span<const std::span<const uint8_t>> texts) {
  RawInstruction raw;
  size_t dwords = 0;
  for (std::span<const uint8_t> text : texts) {
    program.texts.push_back({text, dwords});
    dwords += (text.size() + 3) / 4;
    program.opOfDword.resize(dwords, noOp);
    indexedOperands = 0;
    indexing = false;
    uint64_t base = reinterpret_cast<uint64_t>(text.data());
    unsigned size = 4;
    for (size_t at = 0; at + 4 <= text.size(); at += size) {
      program.opOfDword[program.texts.back().firstDword + at / 4] = uint32_t(program.ops.size());
      current = uint32_t(program.addresses.size());
      program.addresses.push_back(base + at);
      if (!disassembler.decode(text.subspan(at), base + at, raw, size))
        trap(trapReason::unknown);
      else if (raw.encoding->opcode == Opcode::Trap)
        trap(reasonFor(raw.encoding->name));
      else
        instruction(raw, base + at, size);
    }
    current = uint32_t(program.addresses.size()); // for control that runs off the end
    program.addresses.push_back(base + text.size());
    trap(trapReason::unknown);
    --program.traps;
  }
  uint32_t trapOp = uint32_t(program.ops.size());
  trap(trapReason::unknown);
  --program.traps;
  for (const Fixup &fixup : fixups) {
    const MicroOp *to = program.at(fixup.target);
    int64_t distance = (to ? to - program.ops.data() : int64_t(trapOp)) - int64_t(fixup.op);
    if (fixup.inFlags)
      program.ops[fixup.op].flags = uint32_t(distance);
    else
      program.ops[fixup.op].immediate = uint64_t(distance);
  }
}

void Translator::instruction(const RawInstruction &raw, uint64_t address, unsigned size) {
  size_t before = program.ops.size(), fixupsBefore = fixups.size();
  try {
    for (const RawOperand &operand : raw.operands)
      if (operand.kind == RawOperand::Unsupported)
        throw Unsupported();
    switch (infoOf(raw.encoding->opcode).form) {
    case Form::Scalar:
    case Form::ScalarImmediate:
    case Form::ScalarCompare:
    case Form::ScalarCompareImmediate:
      return scalar(raw);
    case Form::Control:
      return control(raw, address, size);
    case Form::ScalarMemory:
      return scalarMemory(raw);
    case Form::Vector:
    case Form::Accumulate:
      return vector(raw);
    case Form::Compare:
      return compare(raw);
    case Form::Carry:
      carry(raw);
      return redirectResult(raw, before);
    case Form::CrossLane:
      crossLane(raw);
      return redirectResult(raw, before);
    case Form::Matrix:
      return matrix(raw);
    case Form::Lds:
    case Form::LdsLanes:
      return lds(raw);
    case Form::Memory:
      return raw.encoding->name.find("BUFFER_") < 2 ? buffer(raw) : memory(raw); // BUFFER_, TBUFFER_
    case Form::Cache:
      emit(raw.encoding->opcode);
      return;
    }
  } catch (const Unsupported &) {
    program.ops.resize(before);
    fixups.resize(fixupsBefore);
    trap(trapReason::operands);
  }
}

MicroOp &Translator::emit(Opcode opcode) {
  MicroOp op = {};
  op.handler = handlers[unsigned(opcode)];
  op.instruction = current;
  op.opcode = uint16_t(opcode);
  op.vector = isVector(opcode);
  program.ops.push_back(op);
  return program.ops.back();
}

void Translator::trap(unsigned reason) {
  emit(Opcode::Trap).immediate = reason;
  ++program.traps;
}

SourceRef Translator::constantRow(uint64_t value, bool wide) {
  auto &known = wide ? rows64 : rows32;
  if (!wide)
    value = uint32_t(value);
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  SourceRef ref = SourceRef(program.rows.size() * 4) | constantSource;
  program.rows.insert(program.rows.end(), waveWidth, uint32_t(value));
  if (wide)
    program.rows.insert(program.rows.end(), waveWidth, uint32_t(value >> 32));
  return known[value] = ref;
}

SourceRef Translator::constantLanes(const std::array<uint32_t, 64> &values) {
  static_assert(waveWidth == 64);
  auto [found, isNew] = laneRows.try_emplace(values, SourceRef(program.rows.size() * 4) | constantSource);
  if (isNew)
    program.rows.insert(program.rows.end(), values.begin(), values.end());
  return found->second;
}

SourceRef Translator::scalarConstant(uint64_t value) {
  auto found = scalars.find(value);
  if (found != scalars.end())
    return found->second;
  SourceRef ref = SourceRef(program.scalars.size() * 8) | constantSource;
  program.scalars.push_back(value);
  return scalars[value] = ref;
}

SourceRef Translator::scalarSource(const RawOperand &operand) {
  if (operand.kind == RawOperand::Immediate)
    return scalarConstant(uint64_t(operand.value));
  if (operand.kind != RawOperand::Scalar)
    throw Unsupported();
  if (operand.value == sgpr::vccz || operand.value == sgpr::execz)
    emit(Opcode::ScalarCondition);
  return SourceRef(operand.value * 4);
}

unsigned Translator::vectorRow(const RawOperand &operand) const {
  if (operand.kind != RawOperand::Vector)
    throw Unsupported();
  return unsigned(operand.value);
}

// Scalar

void Translator::scalar(const RawInstruction &raw) {
  Cursor cursor{raw};
  Opcode opcode = raw.encoding->opcode;
  const InstructionInfo &info = infoOf(opcode);
  unsigned destination = raw.encoding->definitions ? unsigned(cursor.next().value) : 0;
  SourceRef sources[2] = {};
  uint64_t immediate = 0;
  if (info.form == Form::ScalarImmediate || info.form == Form::ScalarCompareImmediate) {
    immediate = uint64_t(raw.operands.back().value);
    if (info.form == Form::ScalarCompareImmediate)
      sources[0] = scalarSource(cursor.next());
  } else {
    unsigned count = info.types[2] != OperandType::none ? 2 : 1;
    for (unsigned k = 0; k < count; ++k)
      sources[k] = scalarSource(cursor.next());
    // s_cmov, s_bitset: the tied old value is in the destination already
  }
  MicroOp &op = emit(opcode);
  op.destination = uint16_t(destination);
  op.source[0] = sources[0];
  op.source[1] = sources[1];
  op.immediate = immediate;
}

void Translator::branchTo(uint64_t target, bool inFlags) {
  fixups.push_back({uint32_t(program.ops.size() - 1), target, inFlags});
}

void Translator::control(const RawInstruction &raw, uint64_t address, unsigned size) {
  Opcode opcode = raw.encoding->opcode;
  uint64_t next = address + size;
  auto target = [&](int64_t simm16) { return next + uint64_t(int64_t(int16_t(simm16)) * 4); };
  Cursor cursor{raw};
  switch (opcode) {
  case Opcode::S_BRANCH:
  case Opcode::S_CBRANCH_SCC0:
  case Opcode::S_CBRANCH_SCC1:
  case Opcode::S_CBRANCH_VCCZ:
  case Opcode::S_CBRANCH_VCCNZ:
  case Opcode::S_CBRANCH_EXECZ:
  case Opcode::S_CBRANCH_EXECNZ:
    emit(opcode);
    return branchTo(target(cursor.next().value), false);
  case Opcode::S_CALL_B64: {
    MicroOp &op = emit(opcode);
    op.destination = uint16_t(cursor.next().value);
    op.immediate = next;
    return branchTo(target(cursor.next().value), true);
  }
  case Opcode::S_GETPC_B64: {
    MicroOp &op = emit(opcode);
    op.destination = uint16_t(cursor.next().value);
    op.immediate = next;
    return;
  }
  case Opcode::S_RFE_B64:
  case Opcode::S_RFE_RESTORE_B64:
  case Opcode::S_SETPC_B64: {
    SourceRef source = scalarSource(cursor.next());
    emit(opcode).source[0] = source;
    return;
  }
  case Opcode::S_SWAPPC_B64: {
    unsigned destination = unsigned(cursor.next().value);
    SourceRef source = scalarSource(cursor.next());
    MicroOp &op = emit(opcode);
    op.destination = uint16_t(destination);
    op.source[0] = source;
    op.immediate = next;
    return;
  }
  case Opcode::S_GETREG_B32: {
    MicroOp &op = emit(opcode);
    op.destination = uint16_t(cursor.next().value);
    op.immediate = uint64_t(cursor.next().value);
    return;
  }
  case Opcode::S_SETREG_B32: {
    SourceRef source = scalarSource(cursor.next());
    MicroOp &op = emit(opcode);
    op.source[0] = source;
    op.immediate = uint64_t(cursor.next().value);
    return;
  }
  case Opcode::S_SETVSKIP: {
    SourceRef bits = scalarSource(cursor.next()), bit = scalarSource(cursor.next());
    MicroOp &op = emit(opcode);
    op.source[0] = bits;
    op.source[1] = bit;
    return;
  }
  case Opcode::S_SETREG_IMM32_B32: {
    MicroOp &op = emit(opcode);
    op.flags = uint32_t(cursor.next().value);
    op.immediate = uint64_t(cursor.next().value);
    return;
  }
  case Opcode::S_MEMTIME:
  case Opcode::S_MEMREALTIME:
    emit(opcode).destination = uint16_t(cursor.next().value);
    return;
  case Opcode::S_SET_GPR_IDX_ON: {
    SourceRef source = scalarSource(cursor.next());
    MicroOp &op = emit(opcode);
    op.source[0] = source;
    op.immediate = uint64_t(cursor.next().value);
    indexedOperands = unsigned(op.immediate & 15);
    indexing = true;
    return;
  }
  case Opcode::S_SET_GPR_IDX_IDX: {
    SourceRef source = scalarSource(cursor.next());
    emit(opcode).source[0] = source;
    return;
  }
  case Opcode::S_SET_GPR_IDX_MODE: {
    MicroOp &op = emit(opcode);
    op.immediate = uint64_t(cursor.next().value);
    if (indexing)
      indexedOperands = unsigned(op.immediate & 15);
    return;
  }
  case Opcode::S_MOVRELS_B32:
  case Opcode::S_MOVRELS_B64: {
    MicroOp &op = emit(opcode);
    op.destination = uint16_t(cursor.next().value);
    op.scalarDestination = uint16_t(cursor.next().value);
    return;
  }
  case Opcode::S_MOVRELD_B32:
  case Opcode::S_MOVRELD_B64: {
    unsigned destination = unsigned(cursor.next().value);
    SourceRef source = scalarSource(cursor.next());
    MicroOp &op = emit(opcode);
    op.destination = uint16_t(destination);
    op.source[0] = source;
    return;
  }
  case Opcode::S_SET_GPR_IDX_OFF:
    indexing = false;
    indexedOperands = 0;
    emit(opcode);
    return;
  default: {
    MicroOp &op = emit(opcode);
    op.immediate = raw.operands.empty() ? 0 : uint64_t(raw.operands[0].value);
  }
  }
}

} // namespace nstf::emulator
