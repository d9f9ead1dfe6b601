// The basic blocks of code that can be reached without a call or an indirect jump.
#pragma once

#include <cstdint>
#include <vector>

namespace nstf::emulator {
class DecodedProgram;
class ProgramFacts;
struct InstructionFacts;
} // namespace nstf::emulator

namespace nstf::emulator::timing {

/// Whether it goes on behind an instruction as ControlFlow says, and its facts name all registers that it touches: not
/// of calls, indirect jumps and registers by index.
bool isKnown(const InstructionFacts &facts);

struct BasicBlock {
  uint32_t first, last;             ///< numbers of instructions, both in it
  std::vector<uint32_t> successors; ///< numbers of blocks
};

class ControlFlow {
public:
  /// From instruction `root` on: both ways of a branch, past calls; not into calls, and no further at indirect jumps.
  ControlFlow(const DecodedProgram &program, const ProgramFacts &facts, uint32_t root);
  const std::vector<BasicBlock> &blocks() const { return all; }

private:
  std::vector<BasicBlock> all; ///< in the order of the code
};

/// A set of blocks that control can go round in: a natural loop, or where a loop has several entries all that can reach
/// each other.
using Loop = std::vector<uint32_t>;
std::vector<Loop> loopsOf(const std::vector<BasicBlock> &blocks);
/// All that control can go round in and come by an instruction; empty where it can't.
Loop roundsBy(const std::vector<BasicBlock> &blocks, uint32_t instruction);

/// By block: the blocks of the loop whose branch decides whether it is reached (control dependence).
std::vector<std::vector<uint32_t>> controllersOf(const std::vector<BasicBlock> &blocks, const Loop &loop);

} // namespace nstf::emulator::timing
