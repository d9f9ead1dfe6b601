#include "runtime/emulator/timing/record/ControlFlow.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/InstructionFacts.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>

namespace nstf::emulator::timing {
namespace {

struct Successors {
  std::optional<uint32_t> next, target;
};

Successors successorsOf(const DecodedProgram &program, const InstructionFacts &facts, uint32_t instruction) {
  auto target = [&]() -> std::optional<uint32_t> {
    const int64_t distance = int64_t(int16_t(facts.immediate)) * 4;
    const MicroOp *op = program.at(program.addressOfInstruction(instruction) + 4 + uint64_t(distance));
    return op ? std::optional(op->instruction) : std::nullopt;
  };
  const uint32_t next = program.instructionAfter(instruction);
  switch (facts.kind) {
  case InstructionKind::End:
  case InstructionKind::Unknown:
    return {};
  case InstructionKind::ConditionalBranch:
    return {next, target()};
  case InstructionKind::Branch:
    switch (facts.opcode()) {
    case Opcode::S_BRANCH:
      return {{}, target()};
    case Opcode::S_CALL_B64:
    case Opcode::S_SWAPPC_B64:
      return {next, {}};
    default:
      return {};
    }
  default:
    return {next, {}};
  }
}

} // namespace

bool isKnown(const InstructionFacts &facts) {
  const std::string &name = facts.name();
  const bool jumps = facts.kind == InstructionKind::Branch && facts.opcode() != Opcode::S_BRANCH;
  const bool byIndex =
      name.find("MOVREL") != std::string::npos || name.find("GPR_IDX") != std::string::npos || name == "S_SETVSKIP";
  return facts.kind != InstructionKind::Unknown && !jumps && !byIndex;
}

ControlFlow::ControlFlow(const DecodedProgram &program, const ProgramFacts &facts, uint32_t root) {
  std::map<uint32_t, Successors> reached;
  std::set<uint32_t> leaders = {root};
  std::vector<uint32_t> open = {root};
  while (!open.empty()) {
    uint32_t instruction = open.back();
    open.pop_back();
    while (instruction < program.instructionCount() && !reached.contains(instruction)) {
      const InstructionFacts &fact = facts.of(instruction);
      const Successors successors = reached[instruction] = successorsOf(program, fact, instruction);
      if (successors.target) {
        leaders.insert(*successors.target);
        open.push_back(*successors.target);
      }
      if (!successors.next)
        break;
      if (successors.target || *successors.next != instruction + 1)
        leaders.insert(*successors.next);
      instruction = *successors.next;
    }
  }
  std::map<uint32_t, uint32_t> blockAt;
  for (const auto &[instruction, successors] : reached) {
    if (all.empty() || leaders.contains(instruction) || all.back().last + 1 != instruction) {
      blockAt[instruction] = uint32_t(all.size());
      all.push_back({instruction, instruction, {}});
    }
    all.back().last = instruction;
  }
  for (BasicBlock &block : all) {
    const Successors &successors = reached[block.last];
    auto add = [&](uint32_t instruction) {
      if (auto found = blockAt.find(instruction); found != blockAt.end())
        block.successors.push_back(found->second);
    };
    if (successors.next)
      add(*successors.next);
    if (successors.target)
      add(*successors.target);
  }
}

namespace {

using Predecessors = std::vector<std::vector<uint32_t>>;

Predecessors predecessorsOf(const std::vector<BasicBlock> &blocks) {
  Predecessors predecessors(blocks.size());
  for (uint32_t i = 0; i < blocks.size(); ++i)
    for (uint32_t successor : blocks[i].successors)
      predecessors[successor].push_back(i);
  return predecessors;
}

/// Blocks in reverse postorder, and the edges to a block that the search has not finished.
struct DepthFirst {
  std::vector<uint32_t> order;
  std::vector<std::pair<uint32_t, uint32_t>> backEdges;

  explicit DepthFirst(const std::vector<BasicBlock> &blocks) {
    enum State : uint8_t { New, UnderWay, Done };
    std::vector<State> states(blocks.size(), New);
    std::vector<std::pair<uint32_t, size_t>> stack;
    for (uint32_t root = 0; root < blocks.size(); ++root) {
      if (states[root] != New)
        continue;
      stack.emplace_back(root, 0);
      states[root] = UnderWay;
      while (!stack.empty()) {
        auto &[block, next] = stack.back();
        if (next == blocks[block].successors.size()) {
          states[block] = Done;
          order.push_back(block);
          stack.pop_back();
          continue;
        }
        const uint32_t successor = blocks[block].successors[next++];
        if (states[successor] == UnderWay) {
          backEdges.emplace_back(block, successor);
        } else if (states[successor] == New) {
          states[successor] = UnderWay;
          stack.emplace_back(successor, 0);
        }
      }
    }
    std::ranges::reverse(order);
  }
};

/// The blocks from which `from` is reached backwards without passing `header`.
Loop bodyOf(const Predecessors &predecessors, uint32_t from, uint32_t header) {
  std::set<uint32_t> body = {header};
  std::vector<uint32_t> open;
  if (body.insert(from).second)
    open.push_back(from);
  while (!open.empty()) {
    const uint32_t block = open.back();
    open.pop_back();
    for (uint32_t predecessor : predecessors[block])
      if (body.insert(predecessor).second)
        open.push_back(predecessor);
  }
  return {body.begin(), body.end()};
}

} // namespace

std::vector<Loop> findLoops(const std::vector<BasicBlock> &blocks) {
  // For a back edge whose target does not dominate its source, this body reaches up to the code's beginning; blocks
  // that cannot be reached from the header are then removed.
  const Predecessors predecessors = predecessorsOf(blocks);
  std::vector<Loop> loops;
  for (const auto &[from, header] : DepthFirst(blocks).backEdges) {
    Loop body = bodyOf(predecessors, from, header);
    std::set<uint32_t> reached = {header};
    std::vector<uint32_t> open = {header};
    while (!open.empty()) {
      const uint32_t block = open.back();
      open.pop_back();
      for (uint32_t successor : blocks[block].successors)
        if (std::ranges::binary_search(body, successor) && reached.insert(successor).second)
          open.push_back(successor);
    }
    std::erase_if(body, [&](uint32_t block) { return !reached.contains(block); });
    loops.push_back(std::move(body));
  }
  return loops;
}

Loop roundsBy(const std::vector<BasicBlock> &blocks, uint32_t instruction) {
  const auto home = std::ranges::find_if(
      blocks, [&](const BasicBlock &block) { return block.first <= instruction && instruction <= block.last; });
  if (home == blocks.end())
    return {};
  auto reachedFrom = [&](auto neighbours) {
    std::set<uint32_t> reached;
    std::vector<uint32_t> open = {uint32_t(home - blocks.begin())};
    while (!open.empty()) {
      const uint32_t block = open.back();
      open.pop_back();
      for (uint32_t next : neighbours(block))
        if (reached.insert(next).second)
          open.push_back(next);
    }
    return reached;
  };
  const Predecessors predecessors = predecessorsOf(blocks);
  const std::set<uint32_t> behind = reachedFrom([&](uint32_t block) { return blocks[block].successors; });
  const std::set<uint32_t> before = reachedFrom([&](uint32_t block) { return predecessors[block]; });
  Loop loop;
  std::ranges::set_intersection(before, behind, std::back_inserter(loop));
  return loop;
}

namespace {

/// Immediate postdominators of a loop's blocks, on the paths out of the loop (Cooper, Harvey and Kennedy).
class PostDominators {
public:
  static constexpr uint32_t outside = ~0u;

  PostDominators(const std::vector<BasicBlock> &blocks, const Loop &loop) : immediate(blocks.size(), unknown) {
    const Predecessors predecessors = predecessorsOf(blocks);
    auto inLoop = [&](uint32_t block) { return std::ranges::binary_search(loop, block); };
    // Blocks are numbered backwards from the exits, breadth first from those that leave the loop.
    std::vector<uint32_t> order;
    position.assign(blocks.size(), unknown);
    std::vector<bool> leaves(blocks.size());
    auto visit = [&](uint32_t block) {
      if (inLoop(block) && position[block] == unknown) {
        position[block] = uint32_t(order.size());
        order.push_back(block);
      }
    };
    for (uint32_t block : loop) {
      leaves[block] = blocks[block].successors.empty() || !std::ranges::all_of(blocks[block].successors, inLoop);
      if (leaves[block])
        visit(block);
    }
    for (size_t i = 0; i < order.size(); ++i)
      std::ranges::for_each(predecessors[order[i]], visit);
    bool changed = true;
    for (size_t round = 0; changed && round <= order.size(); ++round) {
      changed = false;
      for (uint32_t block : order) {
        uint32_t common = leaves[block] ? outside : unknown;
        for (uint32_t successor : blocks[block].successors)
          if (inLoop(successor) && immediate[successor] != unknown)
            common = common == unknown ? successor : meet(common, successor);
        changed |= common != immediate[block];
        immediate[block] = common;
      }
    }
  }
  uint32_t of(uint32_t block) const { return immediate[block]; }

private:
  static constexpr uint32_t unknown = ~1u;

  /// The numbering is no postorder, so whole paths may have to be compared.
  uint32_t meet(uint32_t a, uint32_t b) const {
    std::vector<uint32_t> way;
    for (; a != outside && a != unknown && way.size() <= immediate.size(); a = immediate[a])
      way.push_back(a);
    for (size_t steps = 0; b != outside && b != unknown && steps <= immediate.size(); b = immediate[b], ++steps)
      if (std::ranges::find(way, b) != way.end())
        return b;
    return outside;
  }

  std::vector<uint32_t> immediate, position;
};

} // namespace

std::vector<std::vector<uint32_t>> findControllers(const std::vector<BasicBlock> &blocks, const Loop &loop) {
  const PostDominators postDominators(blocks, loop);
  std::vector<std::vector<uint32_t>> controllers(blocks.size());
  for (uint32_t branch : loop)
    for (uint32_t successor : blocks[branch].successors) {
      if (blocks[branch].successors.size() < 2 || !std::ranges::binary_search(loop, successor))
        continue;
      size_t steps = 0;
      for (uint32_t block = successor;
           block != postDominators.of(branch) && block < blocks.size() && steps <= loop.size();
           block = postDominators.of(block), ++steps)
        controllers[block].push_back(branch);
    }
  return controllers;
}

} // namespace nstf::emulator::timing
