// What of a kernel has to be executed to know where its waves go and what they access.
//
// The numbers that a kernel computes mostly decide neither: products, sums and what is done to them need not be
// executed for their time to be known, nor do loads need to bring what only goes into those. So where nobody wants a
// launch's results, waves execute its outline.
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
  /// Nothing for kernels that might do something else without the rest, or would still write memory: with calls,
  /// indirect jumps or registers by index, with atomics, or with addresses that come from memory that they write.
  static std::optional<Outline> of(const ControlFlow &flow, const ProgramFacts &facts);

  bool executes(const MicroOp *op) const {
    const Part part = parts[op->instruction];
    return part == Part::All || (part == Part::Address && op->opcode >= unsigned(Opcode::Trap));
  }
  /// Whether an instruction is executed as a whole.
  bool executes(uint32_t instruction) const { return parts[instruction] == Part::All; }

private:
  enum class Part : uint8_t {
    All,
    Address, ///< of an access: the micro-ops in front of it
    None,
  };
  std::vector<Part> parts; ///< by instruction
};

} // namespace nstf::emulator::timing
