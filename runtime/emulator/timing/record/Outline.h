// The part of a kernel that must be executed to know its waves' control flow and memory accesses.
//
// Most values that a kernel computes affect neither. Products, sums and operations on them need not be executed to
// predict their time, and loads need not fetch data that only such operations use. If a launch's results are not
// wanted, its waves execute only this outline.
#pragma once

#include "runtime/emulator/decode/Instructions.h"
#include "runtime/emulator/decode/MicroOp.h"

#include <optional>
#include <vector>

namespace nstf::emulator {
class ProgramFacts;
}

namespace nstf::emulator::timing {

class ControlFlow;

class Outline {
public:
  /// The outline of a kernel. Returns nothing if the kernel might behave differently when only the outline is executed,
  /// or if the outline would still write memory. Such kernels have calls, indirect jumps, register indexing or atomics,
  /// or load addresses from memory that they write.
  static std::optional<Outline> of(const ControlFlow &flow, const ProgramFacts &facts);

  bool executes(const MicroOp *op) const {
    const Part part = parts[op->instruction];
    return part == Part::All || (part == Part::Address && op->opcode >= unsigned(Opcode::Trap)) ||
           op->opcode == unsigned(Opcode::Continue);
  }
  /// Whether all micro-ops of an instruction are executed.
  bool executes(uint32_t instruction) const { return parts[instruction] == Part::All; }

private:
  enum class Part : uint8_t {
    All,
    Address, ///< only the micro-ops before the access, which compute its address
    None,
  };
  std::vector<Part> parts; ///< by instruction
};

} // namespace nstf::emulator::timing
