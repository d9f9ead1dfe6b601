// A code object's text, decoded once.
//
// LLVM MC reads the loaded text once and produces a flat array of micro-ops; the interpreter never reads an encoding
// again. One instruction becomes one micro-op or a few. Reads of SGPRs by vector instructions, source modifiers, DPP,
// SDWA, clamp and omod are separate micro-ops around it, so that handlers need not implement them. Bytes that are no
// instruction, and instructions that the emulator does not implement, become a trap that stops the run when reached.
#pragma once

#include "runtime/emulator/decode/Instructions.h"
#include "runtime/emulator/decode/MicroOp.h"

#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

namespace nstf::emulator {

struct Target;

/// Maps opcodes to handlers, which execution provides (instructions/HandlerTable.h).
using HandlerTable = std::array<Handler, opcodeCount>;

/// Handlers read rows with the host's aligned vector loads, for which the alignment of plain new does not suffice.
template <typename T> struct RowAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};
  T *allocate(size_t count) { return static_cast<T *>(::operator new(count * sizeof(T), alignment)); }
  void deallocate(T *pointer, size_t) { ::operator delete(pointer, alignment); }
  bool operator==(const RowAllocator &) const = default;
};

/// Micro-ops and constants of one code object. Immutable, so any number of threads may run it.
class DecodedProgram {
public:
  /// Decodes `texts`, the executable ranges of the loaded image, which must outlive the program. Their addresses are
  /// the pc that instructions read, so pc-relative reads of the image work. Bytes that cannot be decoded trap when
  /// reached. Throws std::runtime_error when LLVM lacks the target.
  static std::shared_ptr<const DecodedProgram>
  decode(const Target &target, std::span<const std::span<const uint8_t>> texts, const HandlerTable &handlers);

  /// The first micro-op of the instruction at `address`, or nullptr if no instruction begins there.
  const MicroOp *at(uint64_t address) const;
  /// Address of the instruction that a micro-op belongs to.
  uint64_t addressOf(const MicroOp *op) const { return addresses[op->instruction]; }
  /// Whether the micro-op is the first of its instruction.
  bool isFirst(const MicroOp *op) const { return op == ops.data() || op[-1].instruction != op->instruction; }
  /// The bytes from the instruction to the end of its text; empty at the end.
  std::span<const uint8_t> bytesOf(const MicroOp *op) const { return bytesAt(addressOf(op)); }
  std::span<const uint8_t> bytesAt(uint64_t address) const;
  /// Address of instruction number `instruction` (MicroOp::instruction).
  uint64_t addressOfInstruction(uint32_t instruction) const { return addresses[instruction]; }
  /// Its assembly text, disassembled again (for messages).
  std::string textOf(const MicroOp *op) const;
  /// Number of instructions, and of those that trap when reached.
  size_t instructionCount() const { return addresses.size(); }
  size_t trapCount() const { return traps; }

  /// Constants that vector instructions read, as 64-lane rows (256 bytes each).
  const uint32_t *vectorConstants() const { return rows.data(); }
  /// 64-bit constants that scalar instructions read.
  const uint64_t *scalarConstants() const { return scalars.data(); }

private:
  friend class Translator;
  struct Text {
    std::span<const uint8_t> bytes;
    size_t firstDword; // index into opOfDword
  };
  const Target *target = nullptr;
  std::vector<Text> texts;
  std::vector<MicroOp> ops;
  std::vector<uint64_t> addresses; // by instruction
  std::vector<uint32_t> opOfDword; // by dword of the texts: index of the micro-op that begins there, or noOp
  std::vector<uint32_t, RowAllocator<uint32_t>> rows;
  std::vector<uint64_t> scalars;
  size_t traps = 0;
};

} // namespace nstf::emulator
