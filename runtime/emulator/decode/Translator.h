// Translates instructions to micro-ops.
//
// There is one function for each form (Instructions.h). Sources of vector instructions become rows: for a source that
// is neither a row nor a constant (an SGPR, a modified source, a DPP or SDWA source), a preceding micro-op writes a
// temporary row.
#pragma once

#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/Disassembler.h"

#include <array>
#include <map>
#include <unordered_map>

namespace nstf::emulator {

/// LLVM's bits of a source modifier operand (SISrcMods). For packed instructions: negate the low half, negate the high
/// half, op_sel, op_sel_hi.
enum SourceModifier : unsigned { modNegate = 1, modAbsolute = 2, modOpSel = 4, modOpSelHigh = 8, modSignExtend = 16 };

class Translator {
public:
  Translator(const Target &target, DecodedProgram &program, const HandlerTable &handlers);
  /// Translates all texts of the program.
  void run(std::span<const std::span<const uint8_t>> texts);

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
  /// A row or pair of rows filled with a 32- or 64-bit constant.
  SourceRef constantRow(uint64_t value, bool wide);
  /// A row with a different constant in each lane.
  SourceRef constantLanes(const std::array<uint32_t, 64> &values);
  SourceRef scalarConstant(uint64_t value);
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
  void branchTo(uint64_t target, bool inFlags);

  static constexpr unsigned resultTemporary = temporaryRow + 8;
  struct Fixup {
    uint32_t op;
    uint64_t target;
    bool inFlags;
  };

  const Target &target;
  DecodedProgram &program;
  const HandlerTable &handlers;
  Disassembler disassembler;
  std::unordered_map<uint64_t, SourceRef> rows32, rows64, scalars;
  std::map<std::array<uint32_t, 64>, SourceRef> laneRows;
  std::vector<Fixup> fixups;
  uint32_t current = 0;         // instruction number
  unsigned indexedOperands = 0; // mask of s_set_gpr_idx_on while it is on
  bool indexing = false;        // whether s_set_gpr_idx is on
};

} // namespace nstf::emulator
