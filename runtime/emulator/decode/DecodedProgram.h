// The code that one kernel's waves reach, decoded when they first get there.
//
// LLVM MC reads a function of the loaded text once and produces a flat array of micro-ops (a unit, see ReachableCode);
// the interpreter never reads an encoding again. One instruction becomes one micro-op or a few. Reads of SGPRs by
// vector instructions, source modifiers, DPP, SDWA, clamp and omod are separate micro-ops around it, so that handlers
// need not implement them. Bytes that are not an instruction, and instructions that the emulator does not implement,
// become a trap that stops the run when reached.
#pragma once

#include "runtime/emulator/decode/CodeRanges.h"
#include "runtime/emulator/decode/ConstantPool.h"
#include "runtime/emulator/decode/GrowingArray.h"
#include "runtime/emulator/decode/Instructions.h"
#include "runtime/emulator/decode/MicroOp.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace nstf::emulator {

struct Target;

/// Maps opcodes to handlers, which execution provides (instructions/HandlerTable.h).
using HandlerTable = std::array<Handler, opcodeCount>;

/// Micro-ops and constants. Any number of threads may run a program while one of them reaches new code: what is decoded
/// neither moves nor changes. Instructions are numbered as they are decoded, those of a unit by address.
class DecodedProgram {
public:
  /// `ranges`: their addresses are the pc that instructions read, so pc-relative reads of the image work. `handlers`
  /// must outlive the program.
  DecodedProgram(const Target &target, std::shared_ptr<const CodeRanges> ranges, const HandlerTable &handlers);
  ~DecodedProgram();
  /// Decodes all of `texts` at once. Throws std::runtime_error when LLVM lacks the target.
  static std::shared_ptr<const DecodedProgram> decode(const Target &target, std::span<const Code> texts,
                                                      const HandlerTable &handlers);

  /// The first micro-op of the instruction at `address`, decoded now if it was not before; nullptr outside of the texts
  /// and within an instruction.
  const MicroOp *at(uint64_t address) const;
  /// The same, but nullptr if the instruction is not decoded.
  const MicroOp *known(uint64_t address) const;
  /// Address of the instruction that a micro-op belongs to.
  uint64_t getAddress(const MicroOp *op) const { return addressOfInstruction(op->instruction); }
  /// Whether the micro-op is the first of its instruction.
  bool isFirst(const MicroOp *op) const { return op[-1].instruction != op->instruction; }
  /// The bytes from the instruction to the end of its text; empty at the end.
  std::span<const uint8_t> getBytes(const MicroOp *op) const { return bytesAt(getAddress(op)); }
  std::span<const uint8_t> bytesAt(uint64_t address) const { return ranges->from(address); }
  /// Address of instruction number `instruction` (MicroOp::instruction), and bytes of its encoding: 4 or 8.
  uint64_t addressOfInstruction(uint32_t instruction) const { return places[instruction] & ~longInstruction; }
  unsigned sizeOfInstruction(uint32_t instruction) const { return places[instruction] & longInstruction ? 8 : 4; }
  /// Number of the instruction that follows in memory, for one after which control may continue.
  uint32_t instructionAfter(uint32_t instruction) const;
  /// Its assembly text, disassembled again (for messages).
  std::string getText(const MicroOp *op) const;
  /// Number of instructions decoded so far, and of those that trap when reached.
  size_t instructionCount() const { return places.size(); }
  size_t trapCount() const { return traps; }
  /// More than instructionCount() will ever be.
  size_t maxInstructions() const { return places.capacity(); }

  /// Constants that vector instructions read, as 64-lane rows (256 bytes each).
  const uint32_t *vectorConstants() const { return constants.rowBase(); }
  /// 64-bit constants that scalar instructions read.
  const uint64_t *scalarConstants() const { return constants.scalarBase(); }

private:
  static constexpr uint64_t longInstruction = uint64_t(1) << 63; ///< in `places`
  using Entry = std::atomic<const MicroOp *>;

  /// The place of `address` in opOfDword; nullptr where no instruction may begin.
  Entry *getEntry(uint64_t address) const;
  const MicroOp *reach(uint64_t address) const;
  void decodeParts(std::span<const Code> parts) const;

  const Target &target;
  const std::shared_ptr<const CodeRanges> ranges;
  const HandlerTable &handlers;
  // Grows when control reaches new code.
  mutable std::mutex mutex;              ///< held while a unit is decoded
  ZeroPages opOfDword;                   ///< an Entry for each dword of the texts
  mutable GrowingArray<uint64_t> places; ///< by instruction: its address, and longInstruction if it has 8 bytes
  mutable ConstantPool constants;
  mutable std::vector<std::vector<MicroOp>> units;
  mutable std::atomic<size_t> traps = 0;
};

} // namespace nstf::emulator
