// A code object, loaded and decoded, for listings of its instructions.
#pragma once

#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/Disassembler.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/memory/CodeObjectContainer.h"
#include "runtime/emulator/memory/CodeObjectFile.h"
#include "runtime/emulator/memory/Memory.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nstf::emulator {

struct LoadedCode {
  /// Throws LoadError for a code object of a chip that the emulator does not know.
  explicit LoadedCode(const ContainedCodeObject &object);
  /// Begin and end of the object's text ranges, in addresses of the file; with `kernel` (its symbol), of that kernel
  /// only.
  std::vector<std::pair<uint64_t, uint64_t>> ranges(const std::string &kernel) const;
  /// The bytes from an address of the file up to `end`.
  std::span<const uint8_t> bytes(uint64_t address, uint64_t end) const;

  /// Calls `function(instruction, address, next)` for each instruction from begin to end, in addresses of the file;
  /// skips bytes that are not an instruction.
  void forEachInstruction(uint64_t begin, uint64_t end, auto function) const {
    Disassembler disassembler(target);
    for (uint64_t address = begin; address < end;) {
      RawInstruction raw;
      unsigned size = 4;
      const bool isInstruction = disassembler.decode(bytes(address, end), address + program->base(), raw, size);
      const uint64_t next = address + (isInstruction ? size : 4);
      if (isInstruction)
        function(raw, address, next);
      address = next;
    }
  }

  CodeObjectFile file;
  TargetId device;
  const Target &target;
  Memory memory;
  std::unique_ptr<Program> program;
  std::shared_ptr<const DecodedProgram> decoded;
};

/// The target of a branch whose following instruction is at `next`; none for other instructions and for branches to a
/// register.
std::optional<uint64_t> getBranchTarget(const RawInstruction &raw, uint64_t next);

} // namespace nstf::emulator
