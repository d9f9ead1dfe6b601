// The basic blocks of code that is reachable without a call or an indirect jump.
#pragma once

#include <cstdint>
#include <vector>

namespace nstf::emulator {
class DecodedProgram;
class ProgramFacts;
struct InstructionFacts;
} // namespace nstf::emulator

namespace nstf::emulator::timing {

/// Whether ControlFlow follows the instruction's successors and its facts name all registers that it touches. False for
/// calls, indirect jumps and registers by index.
bool isKnown(const InstructionFacts &facts);

struct BasicBlock {
  uint32_t first, last;             ///< numbers of the first and the last instruction
  std::vector<uint32_t> successors; ///< indices of blocks
};

class ControlFlow {
public:
  /// Follows the code from instruction `root`: both sides of a branch, and the code after a call. It does not enter
  /// calls, and ends at indirect jumps.
  ControlFlow(const DecodedProgram &program, const ProgramFacts &facts, uint32_t root);
  const std::vector<BasicBlock> &blocks() const { return all; }

private:
  std::vector<BasicBlock> all; ///< in the order of the code
};

/// A set of blocks that forms a cycle: a natural loop or, where a loop has several entries, all blocks that reach each
/// other.
using Loop = std::vector<uint32_t>;
std::vector<Loop> findLoops(const std::vector<BasicBlock> &blocks);
/// All blocks that lie on a cycle through an instruction; empty if there is none.
Loop roundsBy(const std::vector<BasicBlock> &blocks, uint32_t instruction);

/// By block: the blocks of the loop whose branches decide whether it is executed (control dependence).
std::vector<std::vector<uint32_t>> findControllers(const std::vector<BasicBlock> &blocks, const Loop &loop);

} // namespace nstf::emulator::timing
