// A code object's text, decoded once.
//
// LLVM MC reads the loaded text once; what remains is a flat array of micro-ops that the interpreter runs without ever
// looking at an encoding again. One instruction becomes one micro-op, or a few: reads of SGPRs by vector instructions,
// source modifiers, DPP, SDWA, clamp and omod are micro-ops of their own around it, so that no handler pays for them.
// Bytes that are no instruction, and instructions without a meaning here, become a trap that stops the run when
// reached.
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

/// Opcode to handler: what execution adds to decoding (instructions/HandlerTable.h).
using HandlerTable = std::array<Handler, opcodeCount>;

/// Handlers read rows with the host's aligned vector loads, which fault on what plain new returns.
template <typename T> struct RowAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};
  T *allocate(size_t count) { return static_cast<T *>(::operator new(count * sizeof(T), alignment)); }
  void deallocate(T *pointer, size_t) { ::operator delete(pointer, alignment); }
  bool operator==(const RowAllocator &) const = default;
};

/// Micro-ops and constants of one code object. Unchanging once made, so any number of threads may run it.
class DecodedProgram {
public:
  /// Decodes `texts`, the executable ranges as they stand in the loaded image (they must outlive the program); their
  /// addresses are what the instructions see as pc, so pc-relative reads of the image work. Bytes that can't be decoded
  /// trap when reached. Throws std::runtime_error when LLVM lacks the target.
  static std::shared_ptr<const DecodedProgram>
  decode(const Target &target, std::span<const std::span<const uint8_t>> texts, const HandlerTable &handlers);

  /// The micro-op where the instruction at `address` begins, or nullptr if no instruction begins there.
  const MicroOp *at(uint64_t address) const;
  /// Address of the instruction that a micro-op belongs to.
  uint64_t addressOf(const MicroOp *op) const { return addresses[op->instruction]; }
  /// Whether it is its instruction's first micro-op.
  bool isFirst(const MicroOp *op) const { return op == ops.data() || op[-1].instruction != op->instruction; }
  /// The bytes from the instruction's on, to the end of its text; empty behind the end.
  std::span<const uint8_t> bytesOf(const MicroOp *op) const { return bytesAt(addressOf(op)); }
  std::span<const uint8_t> bytesAt(uint64_t address) const;
  /// Address of instruction number `instruction` (MicroOp::instruction).
  uint64_t addressOfInstruction(uint32_t instruction) const { return addresses[instruction]; }
  /// Its assembly text, disassembled anew (for messages).
  std::string textOf(const MicroOp *op) const;
  /// Instructions in all, and of these the ones that trap when reached.
  size_t instructionCount() const { return addresses.size(); }
  size_t trapCount() const { return traps; }

  /// 64-lane rows (256 bytes each) of the constants that vector instructions read.
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
