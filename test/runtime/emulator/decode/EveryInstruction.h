// Machine code for every opcode that LLVM knows for a chip.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nstf::emulator::test {

/// An opcode of LLVM's that the chip has: encoding it and disassembling that gives it again, or one of the same name.
struct KnownInstruction {
  std::string opcode; ///< LLVM's name of it, "V_ADD_F32_e32_vi"
  std::string name;   ///< free of suffixes, "V_ADD_F32"
  /// Its encodings with operands of several kinds: registers of each file, constants, a literal, as far as LLVM takes
  /// them. The first is the plainest.
  std::vector<std::vector<uint8_t>> shapes;
};

/// All of them, in LLVM's order. Takes a second or two.
std::vector<KnownInstruction> everyInstruction(const std::string &target);

/// Assembly text of one encoding.
std::string textOf(const std::string &target, const std::vector<uint8_t> &bytes);

} // namespace nstf::emulator::test
