#include "runtime/emulator/timing/record/Outline.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/timing/record/ControlFlow.h"
#include "runtime/emulator/timing/record/RegisterSet.h"

#include <algorithm>

namespace nstf::emulator::timing {
namespace {

using Kind = InstructionKind;
using Role = OperandRole;
constexpr RegisterRange exec = {false, sgpr::exec, 2};

bool isMemory(const InstructionFacts &facts) { return facts.kind == Kind::VectorMemory || facts.kind == Kind::Flat; }
bool isAccess(const InstructionFacts &facts) { return isMemory(facts) || facts.kind == Kind::Lds; }

/// Whether the instruction may be omitted if its results are not wanted.
bool isComputation(const InstructionFacts &facts) {
  return (facts.kind == Kind::Scalar || isVector(facts.kind)) ? !facts.writes.empty()
         : facts.kind == Kind::Lds || isMemory(facts)         ? facts.loads || facts.stores || !facts.writes.empty()
                                                              : false;
}

/// Writes to memory that others can read: not scratch.
bool writesMemory(const InstructionFacts &facts) {
  return facts.stores && facts.kind != Kind::Lds && facts.info().addressing != Addressing::Scratch;
}

bool writesExec(const InstructionFacts &facts) {
  return std::ranges::any_of(facts.writes, [](const RegisterUse &use) { return use.overlaps(exec); });
}
/// EXEC = -1.
bool fillsExec(const InstructionFacts &facts) {
  return facts.opcode() == Opcode::S_MOV_B64 && facts.reads.empty() && facts.immediate == -1;
}
/// For an instruction that writes EXEC: whether it enables no lane that was disabled before.
bool narrowsExec(const InstructionFacts &facts) {
  const std::string &name = facts.name();
  if (isVector(facts.kind) || name == "S_AND_SAVEEXEC_B64" || name == "S_ANDN1_SAVEEXEC_B64")
    return true;
  auto reads = [&](int first, int last) {
    return std::ranges::any_of(facts.reads, [&](const RegisterUse &use) {
      return !use.vector && use.first == sgpr::exec && use.count == 2 && use.operand >= first && use.operand <= last;
    });
  };
  return (name == "S_AND_B64" && reads(1, 2)) || (name == "S_ANDN2_B64" && reads(1, 1));
}

/// Registers whose values matter, before an instruction.
struct Deciding {
  RegisterSet here;      ///< vector: in lanes that EXEC enables; scalar registers
  RegisterSet elsewhere; ///< vector: in any lane
  bool operator==(const Deciding &) const = default;
  bool meets(const RegisterRange &range) const { return timing::meets(here, range) || timing::meets(elsewhere, range); }
  void operator|=(const Deciding &other) {
    here |= other.here;
    elsewhere |= other.elsewhere;
  }
};

class Walk {
public:
  Walk(const ControlFlow &flow, const ProgramFacts &facts)
      : blocks(flow.blocks()), facts(facts), executed(facts.program().instructionCount()), entries(blocks.size()) {
    findWhole();
  }

  std::optional<std::vector<bool>> run() {
    if (!isKnown())
      return std::nullopt;
    for (changed = true; changed;) {
      changed = false;
      for (size_t block = blocks.size(); block-- > 0;)
        walk(block);
    }
    for (uint32_t i = 0; i < executed.size(); ++i)
      if (executed[i] && writesMemory(facts.of(i)))
        return std::nullopt;
    return std::move(executed);
  }

private:
  void forEach(auto function) const {
    for (const BasicBlock &block : blocks)
      for (uint32_t i = block.first; i <= block.last; ++i)
        function(facts.of(i));
  }

  bool isKnown() {
    bool known = true;
    forEach([&](const InstructionFacts &fact) { known &= timing::isKnown(fact) && !fact.atomic; });
    return known;
  }

  /// Finds the blocks at which EXEC enables every lane that it ever enables.
  void findWhole() {
    bool begins = true; // all, unless a partial wave ever enables more lanes
    forEach(
        [&](const InstructionFacts &fact) { begins &= !(writesExec(fact) && !narrowsExec(fact) && !restores(fact)); });
    whole.assign(blocks.size(), true);
    if (!blocks.empty())
      whole[0] = begins;
    for (bool again = true; again;) {
      again = false;
      for (const BasicBlock &block : blocks) {
        bool is = whole[size_t(&block - blocks.data())];
        for (uint32_t i = block.first; i <= block.last; ++i)
          is = isWholeAfter(facts.of(i), is);
        if (is)
          continue;
        for (uint32_t successor : block.successors) {
          again |= whole[successor];
          whole[successor] = false;
        }
      }
    }
  }
  static bool isWholeAfter(const InstructionFacts &fact, bool before) {
    return writesExec(fact) ? fillsExec(fact) : before;
  }
  /// Whether the instruction restores EXEC: from SGPRs alone, or by combining it with lanes that an SGPR saved. It then
  /// enables no lane that EXEC never enabled before.
  static bool restores(const InstructionFacts &fact) {
    const std::string &name = fact.name();
    return (name == "S_MOV_B64" && !fact.reads.empty()) || name == "S_OR_B64" || name == "S_XOR_B64" ||
           name == "S_ANDN2_SAVEEXEC_B64" || name == "S_ANDN2_B64" || name == "S_AND_B64";
  }

  void walk(size_t number) {
    const BasicBlock &block = blocks[number];
    Deciding live;
    for (uint32_t successor : block.successors)
      live |= entries[successor];
    std::vector<bool> isWhole;
    bool now = whole[number];
    for (uint32_t i = block.first; i <= block.last; ++i) {
      isWhole.push_back(now);
      now = isWholeAfter(facts.of(i), now);
    }
    for (uint32_t i = block.last + 1; i-- > block.first;)
      goBefore(live, i, isWhole[i - block.first]);
    changed |= live != entries[number];
    entries[number] = live;
  }

  void goBefore(Deciding &live, uint32_t instruction, bool isWhole) {
    const InstructionFacts &fact = facts.of(instruction);
    const bool decides = isWanted(fact, live);
    if (decides && !executed[instruction]) {
      executed[instruction] = true;
      changed = true;
      memoryDecides |= fact.loads && isMemory(fact);
      ldsDecides |= fact.loads && (fact.kind == Kind::Lds || fact.kind == Kind::Flat);
    }
    if (writesExec(fact) && !narrowsExec(fact))
      live.elsewhere |= live.here;
    if (decides)
      for (const RegisterUse &use : fact.writes)
        replace(live, fact, use, isWhole);
    for (const RegisterUse &use : fact.reads)
      if (decides || (isAccess(fact) && use.role != Role::Data && use.role != Role::Old))
        insert(use.vector && !fact.laneWise ? live.elsewhere : live.here, use);
  }

  bool isWanted(const InstructionFacts &fact, const Deciding &live) const {
    if (!isComputation(fact))
      return true;
    if (fact.toLds)
      return ldsDecides;
    if (fact.stores && ((ldsDecides && fact.kind != Kind::VectorMemory) || (memoryDecides && isMemory(fact))))
      return true;
    return std::ranges::any_of(fact.writes, [&](const RegisterUse &use) { return live.meets(use); });
  }

  /// The results of an instruction do not matter before it; of vector registers, only the lanes that it writes.
  static void replace(Deciding &live, const InstructionFacts &fact, const RegisterUse &use, bool isWhole) {
    if (use.vector && fact.partialWrite)
      return;
    erase(live.here, use);
    if (!use.vector || isWhole || fact.kind == Kind::Matrix)
      erase(live.elsewhere, use);
  }

  const std::vector<BasicBlock> &blocks;
  const ProgramFacts &facts;
  std::vector<bool> executed;
  std::vector<Deciding> entries;                  ///< by block
  std::vector<bool> whole;                        ///< by block
  bool memoryDecides = false, ldsDecides = false; ///< values loaded from there matter
  bool changed = false;
};

} // namespace

std::optional<Outline> Outline::of(const ControlFlow &flow, const ProgramFacts &facts) {
  const std::optional<std::vector<bool>> executed = Walk(flow, facts).run();
  if (!executed)
    return std::nullopt;
  Outline outline;
  outline.parts.assign(executed->size(), Part::All);
  for (const BasicBlock &block : flow.blocks())
    for (uint32_t i = block.first; i <= block.last; ++i)
      if (!(*executed)[i])
        outline.parts[i] = isAccess(facts.of(i)) ? Part::Address : Part::None;
  return outline;
}

} // namespace nstf::emulator::timing
