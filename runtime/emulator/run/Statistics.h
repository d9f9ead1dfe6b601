// Counts of what waves execute.
//
// Every instruction has exactly one micro-op with its own opcode (the micro-ops around it come after Opcode::Trap). It
// is therefore enough to count by opcode during the run and to sum the classes afterwards. The number of bytes depends
// on EXEC and, for buffers, on their size, so bytes are counted before the micro-op runs.
#pragma once

#include "runtime/emulator/decode/AccessFacts.h"
#include "runtime/emulator/instructions/MemorySpace.h"
#include "runtime/emulator/instructions/Wave.h"

#include <array>
#include <cstdint>
#include <string>

namespace nstf::emulator {

/// The unit of a compute unit that executes an instruction.
enum class InstructionClass : uint8_t { Matrix, Vector, Lds, VectorMemory, Scalar, ScalarMemory, Branch, Other, count };
constexpr unsigned instructionClasses = unsigned(InstructionClass::count);
InstructionClass getClass(Opcode opcode);
/// The assembly name, "v_add_f32".
std::string getMnemonic(Opcode opcode);

struct Traffic {
  uint64_t loaded = 0, stored = 0; ///< bytes
};

/// Counts of a launch's waves, or of a part of them.
struct ExecutionStatistics {
  std::array<uint64_t, instructionClasses> instructions = {}; ///< wave instructions
  std::array<Traffic, unsigned(MemorySpace::count)> bytes = {};
  std::array<uint64_t, opcodeCount> executed = {}; ///< wave instructions by opcode (for Fidelity.h)
  std::array<uint64_t, opcodeCount> storedBy = {}; ///< bytes to global memory by opcode
  /// Clocks that bank conflicts cost in the LDS, by opcode (support/LdsPhases.h).
  std::array<uint64_t, opcodeCount> conflictClocks = {};

  uint64_t &operator[](InstructionClass c) { return instructions[unsigned(c)]; }
  uint64_t operator[](InstructionClass c) const { return instructions[unsigned(c)]; }
  Traffic &operator[](MemorySpace space) { return bytes[unsigned(space)]; }
  const Traffic &operator[](MemorySpace space) const { return bytes[unsigned(space)]; }
};

/// The counters of one host thread.
class ExecutionCounters {
public:
  explicit ExecutionCounters(uint32_t ldsBanks) : ldsBanks(ldsBanks) {}

  /// Must be called before a micro-op runs.
  void count(const Wave &w, const MicroOp *op) {
    ++executed[op->opcode];
    if (accessFacts[op->opcode].any())
      countBytes(w, op);
  }
  /// Adds the counts to `sum`.
  void addTo(ExecutionStatistics &sum) const;
  /// Instructions counted since the previous call.
  uint64_t takeNew();

private:
  void countBytes(const Wave &w, const MicroOp *op);

  const uint32_t ldsBanks;
  std::array<uint64_t, opcodeCount> executed = {}, storedBy = {}, conflictClocks = {};
  std::array<Traffic, unsigned(MemorySpace::count)> bytes = {};
  uint64_t taken = 0;
};

} // namespace nstf::emulator
