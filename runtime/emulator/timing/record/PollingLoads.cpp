#include "runtime/emulator/timing/record/PollingLoads.h"
#include "runtime/emulator/decode/InstructionFacts.h"
#include "runtime/emulator/timing/record/ControlFlow.h"

#include <algorithm>
#include <set>

namespace nstf::emulator::timing {
namespace {

/// `s_or_b64 exec, exec, saved` restores lanes after a branch: `saved` alone determines which are active then.
bool restoresExec(const InstructionFacts &facts) {
  return facts.opcode() == Opcode::S_OR_B64 && !facts.writes.empty() && facts.writes[0].first == sgpr::exec;
}
/// s_*_saveexec: the saved copy is the old EXEC, whatever is masked out of EXEC itself.
bool savesExec(const InstructionFacts &facts) { return facts.name().ends_with("_SAVEEXEC_B64"); }

/// Whether other waves may observe that the instruction was executed.
bool isHeard(const InstructionFacts &facts) {
  return facts.stores || facts.kind == InstructionKind::Barrier || facts.kind == InstructionKind::Message;
}
/// Whether the result depends on more than registers and memory.
bool readsMore(const InstructionFacts &facts) {
  const std::string &name = facts.name();
  return facts.opcode() == Opcode::S_MEMTIME || facts.opcode() == Opcode::S_MEMREALTIME ||
         facts.opcode() == Opcode::S_GETREG_B32 || name.starts_with("DS_GWS_");
}

/// The registers that decide in one loop, computed backwards from its exits.
class DecidingValues {
public:
  /// `heard`: also those that decide effects that other waves may observe.
  DecidingValues(const ControlFlow &flow, const ProgramFacts &facts, const Loop &loop, bool heard = false)
      : blocks(flow.blocks()), facts(facts), loop(loop), heard(heard), controllers(findControllers(blocks, loop)),
        entries(blocks.size()) {}

  void find(std::set<uint32_t> &loads) {
    for (changed = true; changed;) {
      changed = false;
      for (uint32_t block : loop)
        setEntry(block, walk(block, blocks[block].first, loads));
    }
    if (std::ranges::any_of(loads, [&](uint32_t i) { return isInLoop(i) && facts.of(i).atomic; }))
      findFirstValues(loads);
  }

  bool ends() const {
    return std::ranges::any_of(loop, [&](uint32_t block) { return leaves(block); });
  }
  /// The deciding registers after an instruction of the loop, one of the `loads` found; nothing if more than registers
  /// and memory decides.
  std::optional<RegisterSet> behind(uint32_t instruction, std::set<uint32_t> &loads) {
    const uint32_t block = *std::ranges::find_if(loop, [&](uint32_t b) { return holds(b, instruction); });
    const RegisterSet registers = walk(block, instruction + 1, loads);
    return more ? std::nullopt : std::optional(registers);
  }

private:
  bool inLoop(uint32_t block) const { return std::ranges::binary_search(loop, block); }
  bool holds(uint32_t block, uint32_t instruction) const {
    return blocks[block].first <= instruction && instruction <= blocks[block].last;
  }
  bool isInLoop(uint32_t instruction) const {
    return std::ranges::any_of(loop, [&](uint32_t block) { return holds(block, instruction); });
  }
  bool leaves(uint32_t block) const {
    const auto &successors = blocks[block].successors;
    return successors.size() == 2 && inLoop(successors[0]) != inLoop(successors[1]);
  }

  /// The deciding registers before instruction `first` of a block.
  RegisterSet walk(uint32_t block, uint32_t first, std::set<uint32_t> &loads) {
    RegisterSet live;
    for (uint32_t successor : blocks[block].successors)
      if (inLoop(successor))
        live |= entries[successor];
    for (uint32_t i = blocks[block].last + 1; i-- > first;) {
      const InstructionFacts &fact = facts.of(i);
      if ((i == blocks[block].last && (leaves(block) || deciding.contains(block))) || (heard && isHeard(fact))) {
        add(live, fact);
        decides(block);
      }
      if (std::ranges::none_of(fact.writes, [&](const RegisterUse &use) { return meets(live, use); }))
        continue;
      decides(block);
      more |= readsMore(fact);
      if (fact.loads && loads.insert(i).second)
        changed = true;
      goBehind(live, fact);
    }
    return live;
  }

  /// A loop around a compare-and-swap may begin with a plain load of the swapped value, which also decides the number
  /// of rounds. Addresses are not followed.
  void findFirstValues(std::set<uint32_t> &loads) {
    for (changed = true; changed;) {
      changed = false;
      for (uint32_t block = uint32_t(blocks.size()); block-- > 0;) {
        if (inLoop(block))
          continue;
        RegisterSet live;
        for (uint32_t successor : blocks[block].successors)
          live |= entries[successor];
        for (uint32_t i = blocks[block].last + 1; i-- > blocks[block].first;) {
          const InstructionFacts &fact = facts.of(i);
          if (std::ranges::none_of(fact.writes, [&](const RegisterUse &use) { return meets(live, use); }))
            continue;
          if (fact.loads) {
            loads.insert(i);
            remove(live, fact);
          } else {
            goBehind(live, fact);
          }
        }
        setEntry(block, live);
      }
    }
  }

  /// The deciding registers before an instruction, from those after it. Precondition: the instruction writes one of
  /// those.
  static void goBehind(RegisterSet &live, const InstructionFacts &fact) {
    const bool execDecides = live[temporaryRow + sgpr::exec] || live[temporaryRow + sgpr::exec + 1];
    remove(live, fact);
    if (restoresExec(fact))
      addWithout(live, fact, sgpr::exec);
    else if (savesExec(fact) && !execDecides)
      addOnly(live, fact, sgpr::exec);
    else
      add(live, fact);
  }

  void setEntry(uint32_t block, const RegisterSet &live) {
    changed |= live != entries[block];
    entries[block] = live;
  }

  /// The effects of a block matter, so the branches that lead to it decide.
  void decides(uint32_t block) {
    for (uint32_t branch : controllers[block])
      changed |= deciding.insert(branch).second;
  }

  /// A vector instruction keeps the old values in lanes that EXEC disables.
  static void remove(RegisterSet &live, const InstructionFacts &fact) {
    for (const RegisterUse &use : fact.writes)
      if (!use.vector)
        erase(live, use);
  }
  static void add(RegisterSet &live, const InstructionFacts &fact) {
    for (const RegisterUse &use : fact.reads)
      insert(live, use);
  }
  static void addWithout(RegisterSet &live, const InstructionFacts &fact, unsigned scalar) {
    for (const RegisterUse &use : fact.reads)
      if (use.vector || use.first != scalar)
        insert(live, use);
  }
  static void addOnly(RegisterSet &live, const InstructionFacts &fact, unsigned scalar) {
    for (const RegisterUse &use : fact.reads)
      if (!use.vector && use.first == scalar)
        insert(live, use);
  }

  const std::vector<BasicBlock> &blocks;
  const ProgramFacts &facts;
  const Loop &loop;
  const bool heard;
  bool more = false;                                    ///< whether more than registers and memory decides
  const std::vector<std::vector<uint32_t>> controllers; ///< by block
  std::vector<RegisterSet> entries;                     ///< by block: registers whose value there decides
  std::set<uint32_t> deciding;                          ///< blocks of the loop whose branch at the end decides
  bool changed = false;
};

} // namespace

std::optional<RegisterSet> decidingBehind(const ControlFlow &flow, const ProgramFacts &facts, uint32_t load) {
  const std::vector<BasicBlock> &blocks = flow.blocks();
  const Loop loop = roundsBy(blocks, load);
  DecidingValues values(flow, facts, loop, true);
  bool canTell = values.ends();
  for (const BasicBlock &block : blocks)
    for (uint32_t i = block.first; i <= block.last; ++i)
      canTell &= isKnown(facts.of(i)) && facts.of(i).opcode() != Opcode::S_SETREG_B32;
  if (!canTell)
    return RegisterSet().set();
  std::set<uint32_t> loads;
  values.find(loads);
  return values.behind(load, loads);
}

std::vector<uint32_t> pollingLoads(const ControlFlow &flow, const ProgramFacts &facts) {
  std::set<uint32_t> loads;
  for (const Loop &loop : findLoops(flow.blocks()))
    DecidingValues(flow, facts, loop).find(loads);
  return {loads.begin(), loads.end()};
}

} // namespace nstf::emulator::timing
