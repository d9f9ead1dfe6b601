#include "runtime/emulator/launch/LoopStatistics.h"

#include "runtime/emulator/run/Statistics.h"

#include <algorithm>
#include <cctype>

namespace nstf::emulator {
namespace {

using Kind = InstructionKind;

/// Clocks of a pass of the matrix core, of an s_nop's wait state, and of any other instruction's issue.
constexpr uint64_t clocksPerSlot = 4;

std::string kindOf(const InstructionFacts &facts) {
  switch (facts.kind) {
  case Kind::Scalar:
    return "scalar";
  case Kind::ScalarMemory:
    return "scalar_memory";
  case Kind::Branch:
  case Kind::ConditionalBranch:
    return "branch";
  case Kind::Barrier:
    return "barrier";
  case Kind::Wait:
    return "wait";
  case Kind::Nop:
    return "nop";
  case Kind::Vector:
    return facts.name().starts_with("V_ACCVGPR_") ? "accumulator_move" : "vector";
  case Kind::Transcendental:
    return "transcendental";
  case Kind::Lds:
    return facts.stores ? (facts.loads ? "lds_other" : "lds_write") : (facts.loads ? "lds_read" : "lds_other");
  case Kind::VectorMemory:
  case Kind::Flat:
    return facts.stores ? "store" : (facts.loads ? "load" : "other");
  default:
    return "other";
  }
}

/// "b128" of ds_read_b128, "2xb64" of ds_read2st64_b64, "dwordx4" of buffer_load_dwordx4.
std::string widthOf(const std::string &name) {
  for (const char *verb : {"_load_", "_store_"})
    if (size_t at = name.find(verb); at != name.npos)
      return name.substr(at + std::string(verb).size());
  const bool isPair = name.find("read2") != name.npos || name.find("write2") != name.npos;
  for (size_t at = name.find('_'); at != name.npos; at = name.find('_', at + 1))
    if (at + 2 < name.size() && std::string("bui").find(name[at + 1]) != std::string::npos &&
        std::isdigit(static_cast<unsigned char>(name[at + 2]))) {
      const size_t end = std::min(name.find('_', at + 1), name.size());
      return (isPair ? "2xb" : "b") + name.substr(at + 2, end - at - 2);
    }
  return "other";
}

/// The accesses of a loop that raise one counter, and their places among its matrix clocks.
class Accesses {
public:
  Accesses(std::span<const LoopInstruction> loop, bool InstructionFacts::*counts) : loop(loop) {
    uint64_t clocks = 0;
    for (const LoopInstruction &instruction : loop) {
      before.push_back(clocks);
      if (instruction.facts.*counts)
        places.push_back(before.size() - 1);
      clocks += clocksPerSlot * instruction.facts.passes;
    }
    before.push_back(clocks);
  }

  /// The need of a wait at `place` that leaves `count` accesses outstanding.
  LoopNeed needOf(size_t place, unsigned count) const {
    LoopNeed need{.count = count, .cover = std::nullopt, .access = ""};
    if (places.empty())
      return need;
    // The youngest access that must be done is the (count + 1)-th back, with as many rounds as necessary.
    const size_t earlier = std::ranges::lower_bound(places, place) - places.begin();
    const size_t back = count % places.size() + 1;
    const bool isOfLastRound = back > earlier;
    const size_t access = places[isOfLastRound ? earlier + places.size() - back : earlier - back];
    const uint64_t rounds = count / places.size() + (isOfLastRound ? 1 : 0);
    need.cover = rounds * before.back() + before[place] - before[access];
    need.access = getMnemonic(loop[access].facts.opcode());
    need.loads = loop[access].facts.loads;
    return need;
  }

private:
  std::span<const LoopInstruction> loop;
  std::vector<size_t> places;
  std::vector<uint64_t> before; ///< matrix clocks before each instruction; the last element is the loop's total
};

bool isBeforeBarrier(std::span<const LoopInstruction> loop, size_t wait) {
  for (size_t i = wait + 1; i < loop.size(); ++i)
    if (Kind kind = loop[i].facts.kind; kind != Kind::Wait && kind != Kind::Nop && kind != Kind::Matrix)
      return kind == Kind::Barrier;
  return false;
}

std::optional<uint64_t> lower(std::optional<uint64_t> min, const std::optional<uint64_t> &cover) {
  return cover ? std::min(min.value_or(*cover), *cover) : min;
}

} // namespace

double LoopStatistics::issueShare() const {
  const double clocks = double(matrixClocks);
  const double others = double(clocksPerSlot * (instructions - matrixInstructions));
  return instructions ? clocks / (clocks + others) : 0;
}

size_t LoopStatistics::of(const std::string &kind) const {
  const auto found = kinds.find(kind);
  return found == kinds.end() ? 0 : found->second;
}

std::optional<uint64_t> LoopStatistics::minLoadCover() const {
  std::optional<uint64_t> min;
  for (const LoopWait &wait : waits)
    if (wait.vm && wait.vm->loads)
      min = lower(min, wait.vm->cover);
  return min;
}

std::optional<uint64_t> LoopStatistics::minLdsCover() const {
  std::optional<uint64_t> min;
  for (const LoopWait &wait : waits)
    if (wait.lgkm && !wait.beforeBarrier)
      min = lower(min, wait.lgkm->cover);
  return min;
}

size_t LoopStatistics::waitsToZero() const {
  return std::ranges::count_if(waits, [](const LoopWait &wait) { return wait.isToZero() && !wait.beforeBarrier; });
}

LoopStatistics getStatistics(std::span<const LoopInstruction> loop) {
  LoopStatistics statistics{.begin = loop.front().address, .end = loop.back().address};
  statistics.instructions = loop.size();
  const Accesses vm(loop, &InstructionFacts::countsVm), lgkm(loop, &InstructionFacts::countsLgkm);
  for (size_t i = 0; i < loop.size(); ++i) {
    const InstructionFacts &facts = loop[i].facts;
    if (facts.kind == Kind::Matrix) {
      ++statistics.matrixInstructions;
      statistics.matrixClocks += clocksPerSlot * facts.passes;
      continue;
    }
    const std::string kind = kindOf(facts);
    ++statistics.kinds[kind];
    if (kind == "lds_read" || kind == "lds_write" || kind == "load" || kind == "store")
      ++statistics.widths[kind][widthOf(getMnemonic(facts.opcode()))];
    if (facts.kind == Kind::Nop)
      statistics.nopClocks += clocksPerSlot * facts.waitStates;
    if (facts.kind != Kind::Wait)
      continue;
    LoopWait wait{.address = loop[i].address, .beforeBarrier = isBeforeBarrier(loop, i)};
    if (facts.waits.vm != WaitCounts::none)
      wait.vm = vm.needOf(i, facts.waits.vm);
    if (facts.waits.lgkm != WaitCounts::none)
      wait.lgkm = lgkm.needOf(i, facts.waits.lgkm);
    statistics.waits.push_back(std::move(wait));
  }
  return statistics;
}

} // namespace nstf::emulator
