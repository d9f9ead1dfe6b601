// Reads instructions with LLVM MC.
//
// Only this file uses LLVM. It returns an instruction with its name without encoding and generation suffixes, its
// opcode in the emulator's list, and its operands as rows, SGPR numbers and immediates in LLVM's order.
#pragma once

#include "runtime/emulator/decode/Instructions.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace nstf::emulator {

struct Target;

/// An operand as encoded.
struct RawOperand {
  enum Kind : uint8_t { Vector, Scalar, Immediate, Modifiers, Unsupported } kind;
  unsigned count = 1; ///< registers of a tuple
  int64_t value = 0;  ///< row, SGPR file index, or value
};

/// The properties of an MC opcode.
struct Encoding {
  std::string name; ///< free of suffixes: "V_ADD_F32", "GLOBAL_LOAD_DWORD"
  Opcode opcode = Opcode::Trap;
  bool dpp = false, sdwa = false, vop3 = false, returns = false;
  // Address forms.
  bool scalarAddress = false, offen = false, idxen = false, lds = false;
  bool scalarOffset = false; ///< SMEM: an SGPR offset
  enum Scratch : uint8_t { None, Vgpr, Sgpr, Both } scratch = None;
  bool keepsHalf = false; ///< 16-bit VOP3 with op_sel: keeps the other half of the destination
  unsigned definitions = 0;
  std::vector<bool> modifiers; ///< by operand: whether it is a source modifier of the next operand
  std::vector<int> tied;       ///< by operand: the operand whose register it repeats, or -1
  // Properties from LLVM's description beyond the operands. MODE is left out.
  std::vector<RawOperand> implicitReads, implicitWrites;
  bool mayLoad = false, mayStore = false;
  unsigned passes = 0; ///< matrix instructions: 4-clock passes, from LLVM's scheduling model
};

/// Splits the name of an MC opcode (MCInstrInfo::getName) into the instruction's name and the properties in the
/// suffixes.
Encoding parseName(std::string name);

struct RawInstruction {
  const Encoding *encoding = nullptr;
  std::vector<RawOperand> operands;
};

/// Whether these bytes are an invalid eight-byte encoding at which LLVM 22.1.8 crashes: 255 as a scalar operand (a
/// literal where none is allowed, or no register), for which the disassembler has no stream for its error message; or
/// reserved SDWA selectors, for which the printer has no name.
bool crashesDisassembler(std::span<const uint8_t> bytes);

class Disassembler {
public:
  explicit Disassembler(const Target &target);
  ~Disassembler();
  /// Decodes the instruction at the start of `bytes`; false if there is none. `size`: bytes consumed, at least 4.
  bool decode(std::span<const uint8_t> bytes, uint64_t address, RawInstruction &instruction, unsigned &size);
  /// Assembly text of the instruction at the start of `bytes`.
  std::string print(std::span<const uint8_t> bytes, uint64_t address);

private:
  struct Implementation;
  struct Idle;
  std::unique_ptr<Implementation> impl;
};

} // namespace nstf::emulator
