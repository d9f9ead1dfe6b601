// Translates instructions to micro-ops.
//
// There is one function for each form (Instructions.h). Sources of vector instructions become rows: for a source that
// is neither a row nor a constant (an SGPR, a modified source, a DPP or SDWA source), a preceding micro-op writes a
// temporary row.
#pragma once

#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/Disassembler.h"

#include <array>
#include <optional>
#include <vector>

namespace nstf::emulator {

/// LLVM's bits of a source modifier operand (SISrcMods). For packed instructions: negate the low half, negate the high
/// half, op_sel, op_sel_hi.
enum SourceModifier : unsigned { modNegate = 1, modAbsolute = 2, modOpSel = 4, modOpSelHigh = 8, modSignExtend = 16 };

/// What is decoded together. Micro-ops of other numbers stand before the first instruction and after the last one.
struct CodeUnit {
  struct Instruction {
    uint64_t address;
    unsigned size; ///< 4 or 8; less where the text ends
    uint32_t op;   ///< index of its first micro-op
  };
  std::vector<MicroOp> ops;
  std::vector<Instruction> instructions; ///< in the order of their numbers; of size 0: control leaves a text
  size_t traps = 0;
};

class Translator {
public:
  /// Branches may lead to what `program` has decoded already.
  Translator(const Target &target, const DecodedProgram &program, const CodeRanges &ranges,
             const HandlerTable &handlers, ConstantPool &constants);
  /// Translates parts of the texts.
  CodeUnit run(std::span<const Code> parts);

private:
  /// Iterates over an instruction's operands.
  struct Cursor {
    const RawInstruction &raw;
    unsigned at = 0;
    bool done() const { return at >= raw.operands.size(); }
    const RawOperand &next();
    /// The next source and its modifiers, if it has any.
    const RawOperand &source(unsigned &modifiers);
    /// The remaining immediates, in order.
    std::vector<int64_t> rest() const;
  };
  /// Thrown for a combination of operands that is not implemented; the instruction becomes a trap.
  struct Unsupported {};

  void emitBoundary();
  void translate(Code part);
  void begin(uint64_t address, unsigned size);
  void leave(uint64_t textEnd);
  void resolveBranches();
  void instruction(const RawInstruction &raw, uint64_t address, unsigned size);
  void scalar(const RawInstruction &raw);
  void control(const RawInstruction &raw, uint64_t address, unsigned size);
  void scalarMemory(const RawInstruction &raw);
  void vector(const RawInstruction &raw);
  void compare(const RawInstruction &raw);
  void carry(const RawInstruction &raw);
  void crossLane(const RawInstruction &raw);
  void mixedFma(const RawInstruction &raw);
  void conversionFp8(const RawInstruction &raw);
  void matrix(const RawInstruction &raw);
  void lds(const RawInstruction &raw);
  void ldsByLane(const RawInstruction &raw);
  void memory(const RawInstruction &raw);
  void buffer(const RawInstruction &raw);

  MicroOp &emit(Opcode opcode);
  void trap(unsigned reason);
  SourceRef rowRef(unsigned row) const { return row * 256; }
  static unsigned temporary(unsigned k) { return temporaryRow + 2 * k; }
  SourceRef constantRow(uint64_t value, bool wide) { return constants.row(value, wide); }
  SourceRef constantLanes(const std::array<uint32_t, waveWidth> &values) { return constants.lanes(values); }
  SourceRef scalarConstant(uint64_t value) { return constants.scalar(value); }
  SourceRef scalarSource(const RawOperand &operand);
  /// Source k of a vector instruction as a row, with its modifiers applied. `select` ≥ 0: its SDWA selector.
  SourceRef vectorSource(const RawOperand &operand, OperandType type, unsigned k, unsigned modifiers, int select = -1);
  /// Source k as a row, without modifiers.
  SourceRef plainSource(const RawOperand &operand, OperandType type, unsigned k);
  unsigned vectorRow(const RawOperand &operand) const;
  SourceRef permutedSource(const RawOperand &operand, OperandType type, unsigned modifiers,
                           const std::vector<int64_t> &rest);
  void writeIndexed(unsigned destination, unsigned rows);
  void redirectResult(const RawInstruction &raw, size_t first);
  void finish(unsigned row, OperandType type, int64_t clamp, int64_t omod);
  /// The branch emitted last.
  void branchTo(uint64_t target) { branches.push_back({uint32_t(ops.size() - 1), target}); }

  static constexpr unsigned resultTemporary = temporaryRow + 8;
  struct Branch {
    uint32_t op;
    uint64_t target;
  };

  const Target &target;
  const DecodedProgram &program;
  const CodeRanges &ranges;
  const HandlerTable &handlers;
  ConstantPool &constants;
  Disassembler disassembler;
  RawInstruction raw; // the current one
  CodeUnit unit;
  std::vector<MicroOp> &ops = unit.ops;
  std::vector<Branch> branches;
  std::optional<uint32_t> exit;    // the micro-op of control that has left the texts
  const uint32_t firstInstruction; // number
  uint32_t current = 0;            // number
  unsigned indexedOperands = 0;    // mask of s_set_gpr_idx_on while it is on
  bool indexing = false;           // whether s_set_gpr_idx is on
};

} // namespace nstf::emulator
