// Machine code for every opcode that LLVM knows for a chip.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nstf::emulator::test {

/// An LLVM opcode of the chip that disassembles to itself, or to one of the same name, after encoding.
struct KnownInstruction {
  std::string opcode; ///< LLVM's name, "V_ADD_F32_e32_vi"
  std::string name;   ///< without suffixes, "V_ADD_F32"
  /// Its encodings with operands of several kinds: registers of each file, constants and a literal where LLVM accepts
  /// them. The plainest comes first.
  std::vector<std::vector<uint8_t>> shapes;
};

/// All of them in LLVM's order. Takes a second or two.
std::vector<KnownInstruction> everyInstruction(const std::string &target);

/// Assembly text of one encoding.
std::string getText(const std::string &target, const std::vector<uint8_t> &bytes);

} // namespace nstf::emulator::test
