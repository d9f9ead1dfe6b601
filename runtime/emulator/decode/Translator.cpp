#include "runtime/emulator/decode/Translator.h"
#include "runtime/emulator/decode/NotExecuted.h"
#include "runtime/emulator/decode/ReachableCode.h"
#include "runtime/emulator/decode/Target.h"

#include <algorithm>

namespace nstf::emulator {

/// VALU, LDS and vector memory, and the micro-ops around them.
static bool isVector(Opcode opcode) {
  if (opcode >= Opcode::Trap)
    return opcode != Opcode::Trap && opcode != Opcode::Continue && opcode != Opcode::ScalarCondition;
  Form form = getInfo(opcode).form;
  return form >= Form::Vector && form != Form::Cache;
}

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

Translator::Translator(const Target &target, const DecodedProgram &program, const CodeRanges &ranges,
                       const HandlerTable &handlers, ConstantPool &constants)
    : target(target), program(program), ranges(ranges), handlers(handlers), constants(constants), disassembler(target),
      firstInstruction(uint32_t(program.instructionCount())) {}

CodeUnit Translator::run(std::span<const Code> parts) {
  emitBoundary();
  for (Code part : parts)
    translate(part);
  resolveBranches();
  return std::move(unit);
}

void Translator::emitBoundary() {
  current = ~0u; // no instruction's number
  emit(Opcode::Trap);
}

void Translator::begin(uint64_t address, unsigned size) {
  current = firstInstruction + uint32_t(unit.instructions.size());
  unit.instructions.push_back({address, size, uint32_t(ops.size())});
}

void Translator::translate(Code part) {
  indexedOperands = 0;
  indexing = false;
  uint64_t address = getBegin(part);
  Code code = ranges.from(address);
  const uint64_t textEnd = getEnd(code);
  bool goesOn = false;
  for (unsigned size; address + 4 <= getEnd(part); address += size) {
    code = ranges.from(address);
    const bool is = disassembler.decode(code, address, raw, size);
    begin(address, unsigned(std::min<size_t>(size, code.size())));
    if (!is)
      trap(trapReason::unknown);
    else if (raw.encoding->opcode == Opcode::Trap)
      trap(reasonFor(raw.encoding->name));
    else
      instruction(raw, address, size);
    goesOn = is && fallsThrough(raw);
  }
  if (address + 4 > textEnd) {
    leave(textEnd);
  } else if (goesOn) {
    emit(Opcode::Continue);
    branchTo(address);
  }
}

/// Control leaves a text at its end.
void Translator::leave(uint64_t textEnd) {
  exit = uint32_t(ops.size());
  begin(textEnd, 0);
  emit(Opcode::Trap).immediate = trapReason::unknown;
}

void Translator::resolveBranches() {
  std::vector<CodeUnit::Instruction> known = unit.instructions;
  std::erase_if(known, [](const CodeUnit::Instruction &instruction) { return !instruction.size; });
  std::ranges::sort(known, {}, &CodeUnit::Instruction::address);
  auto find = [&](uint64_t address) -> const MicroOp * {
    const auto found = std::ranges::lower_bound(known, address, {}, &CodeUnit::Instruction::address);
    return found != known.end() && found->address == address ? &ops[found->op] : program.known(address);
  };
  if (!exit && !std::ranges::all_of(branches, find, &Branch::target))
    leave(getEnd(ranges.texts.back()));
  emitBoundary(); // no micro-op moves from now on
  for (const Branch &branch : branches) {
    const MicroOp *to = find(branch.target);
    setBranchTarget(ops[branch.op], to ? to : &ops[*exit]);
  }
}

void Translator::instruction(const RawInstruction &raw, uint64_t address, unsigned size) {
  const size_t before = ops.size(), branchesBefore = branches.size();
  try {
    for (const RawOperand &operand : raw.operands)
      if (operand.kind == RawOperand::Unsupported)
        throw Unsupported();
    switch (getInfo(raw.encoding->opcode).form) {
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
    ops.resize(before);
    branches.resize(branchesBefore);
    trap(trapReason::operands);
  }
}

MicroOp &Translator::emit(Opcode opcode) {
  MicroOp op = {};
  op.handler = handlers[unsigned(opcode)];
  op.instruction = current;
  op.opcode = uint16_t(opcode);
  op.vector = isVector(opcode);
  ops.push_back(op);
  return ops.back();
}

void Translator::trap(unsigned reason) {
  emit(Opcode::Trap).immediate = reason;
  ++unit.traps;
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
  const InstructionInfo &info = getInfo(opcode);
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

void Translator::control(const RawInstruction &raw, uint64_t address, unsigned size) {
  Opcode opcode = raw.encoding->opcode;
  uint64_t next = address + size;
  auto relative = [](int64_t simm16) { return uint64_t(int64_t(int16_t(simm16)) * 4); };
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
    return branchTo(next + relative(cursor.next().value));
  case Opcode::S_CALL_B64: {
    MicroOp &op = emit(opcode);
    op.destination = uint16_t(cursor.next().value);
    op.immediate = next;
    op.flags = uint32_t(relative(cursor.next().value));
    return;
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
