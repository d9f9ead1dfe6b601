#include "runtime/emulator/launch/LoopListing.h"

#include "runtime/emulator/launch/LoadedCode.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace nstf::emulator {
namespace {
using Json = nlohmann::ordered_json;

std::string offsetText(uint64_t offset) {
  char text[24];
  std::snprintf(text, sizeof text, "+0x%llx", static_cast<unsigned long long>(offset));
  return text;
}

struct Branch {
  size_t to, from; ///< indices of the first instruction and of the branch back
};

/// Reads the instructions of one range of a code object.
class Reader {
public:
  Reader(const LoadedCode &code, uint64_t begin, uint64_t end) {
    code.forEachInstruction(
        begin, end, [&](const RawInstruction &raw, uint64_t address, uint64_t next) { add(code, raw, address, next); });
  }

  /// The loops that contain no other loop, in their order.
  std::vector<Branch> innermost() const {
    auto contains = [](const Branch &outer, const Branch &inner) {
      return outer.to <= inner.to && inner.from <= outer.from && (outer.to != inner.to || outer.from != inner.from);
    };
    std::vector<Branch> loops;
    std::vector<Branch> rounds;
    std::ranges::copy_if(branches, std::back_inserter(rounds), [&](const Branch &branch) { return goesRound(branch); });
    for (const Branch &loop : rounds)
      if (std::ranges::none_of(rounds, [&](const Branch &other) { return contains(loop, other); }))
        loops.push_back(loop);
    return loops;
  }

  std::vector<LoopInstruction> instructions;

private:
  void add(const LoadedCode &code, const RawInstruction &raw, uint64_t address, uint64_t next) {
    instructions.push_back({address, getFacts(code.target, raw)});
    const std::optional<uint64_t> target = getBranchTarget(raw, next);
    const std::string_view name = raw.encoding->name;
    ways.push_back(
        {target, !name.starts_with("S_BRANCH") && !name.starts_with("S_ENDPGM") && !name.starts_with("S_SETPC")});
    if (!target || *target > address || raw.encoding->name.starts_with("S_CALL"))
      return;
    const auto to = std::ranges::lower_bound(instructions, *target, {}, &LoopInstruction::address);
    if (to->address == *target)
      branches.push_back({size_t(to - instructions.begin()), instructions.size() - 1});
  }

  /// Whether control can flow from a backward branch's target to the branch: unrelated code may lie in between.
  bool goesRound(const Branch &branch) const {
    std::vector<bool> reached(branch.from - branch.to + 1);
    std::vector<size_t> open;
    auto reach = [&](size_t place) {
      if (place < branch.to || place > branch.from || reached[place - branch.to])
        return;
      reached[place - branch.to] = true;
      open.push_back(place);
    };
    reach(branch.to);
    while (!open.empty() && !reached.back()) {
      const size_t place = open.back();
      open.pop_back();
      if (ways[place].goesOn)
        reach(place + 1);
      if (ways[place].target)
        reach(size_t(std::ranges::lower_bound(instructions, *ways[place].target, {}, &LoopInstruction::address) -
                     instructions.begin()));
    }
    return reached.back();
  }

  struct Ways {
    std::optional<uint64_t> target; ///< of a branch
    bool goesOn;                    ///< control can continue at the next instruction
  };

  std::vector<Branch> branches; ///< backward branches
  std::vector<Ways> ways;       ///< by instruction
};

void printNeed(const char *counter, const LoopNeed &need, std::ostream &out) {
  out << " " << counter << "(" << need.count << ")";
  if (need.cover)
    out << " covered by " << *need.cover << " clk since " << need.access;
  else
    out << " of no access in the loop";
}

Json needJson(const LoopNeed &need) {
  Json json{{"count", need.count}, {"cover", nullptr}};
  if (need.cover)
    json.update({{"cover", *need.cover}, {"access", need.access}, {"loads", need.loads}});
  return json;
}

Json optionalJson(const std::optional<uint64_t> &value) { return value ? Json(*value) : Json(nullptr); }

} // namespace

std::vector<ListedLoop> findLoops(const ContainedCodeObject &object, const std::string &kernel) {
  const LoadedCode code(object);
  std::vector<ListedLoop> loops;
  for (auto [begin, end] : code.ranges(kernel)) {
    const Reader reader(code, begin, end);
    for (const Branch &branch : reader.innermost()) {
      const std::span body(&reader.instructions[branch.to], branch.from - branch.to + 1);
      ListedLoop loop{.function = "text", .functionBegin = begin, .statistics = getStatistics(body)};
      auto function = code.file.functions.upper_bound(body.front().address);
      if (function != code.file.functions.begin()) {
        --function;
        loop.function = function->second.name;
        loop.functionBegin = function->second.address;
      }
      loops.push_back(std::move(loop));
    }
  }
  return loops;
}

void print(const ListedLoop &loop, std::ostream &out) {
  const LoopStatistics &s = loop.statistics;
  auto place = [&](uint64_t address) { return offsetText(address - loop.functionBegin); };
  out << "\n"
      << loop.function << " " << place(s.begin) << " to " << place(s.end) << ": " << s.instructions
      << " instructions\n";
  if (s.matrixInstructions) {
    char share[16];
    std::snprintf(share, sizeof share, "%.3f", s.issueShare());
    out << "  matrix: " << s.matrixInstructions << " instructions, " << s.matrixClocks << " clk; issue " << share
        << "\n";
  }
  for (const auto &[kind, count] : s.kinds) {
    out << "  " << kind << ": " << count;
    if (auto widths = s.widths.find(kind); widths != s.widths.end())
      for (const char *separator = " ("; const auto &[width, number] : widths->second) {
        out << separator << number << " of " << width;
        separator = ", ";
      }
    out << (s.widths.contains(kind) ? ")" : "");
    if (kind == "nop")
      out << " (" << s.nopClocks << " clk)";
    if (kind == "wait")
      out << " (" << s.waitsToZero() << " to zero before no barrier)";
    out << "\n";
  }
  for (const LoopWait &wait : s.waits) {
    out << "  " << place(wait.address) << " waits for";
    if (wait.vm)
      printNeed("vm", *wait.vm, out);
    if (wait.lgkm)
      printNeed("lgkm", *wait.lgkm, out);
    out << (wait.beforeBarrier ? ", before a barrier\n" : "\n");
  }
}

Json toJson(const ListedLoop &loop) {
  const LoopStatistics &s = loop.statistics;
  Json waits = Json::array();
  for (const LoopWait &wait : s.waits) {
    Json entry{{"offset", wait.address - loop.functionBegin}, {"before_barrier", wait.beforeBarrier}};
    if (wait.vm)
      entry["vm"] = needJson(*wait.vm);
    if (wait.lgkm)
      entry["lgkm"] = needJson(*wait.lgkm);
    waits.push_back(std::move(entry));
  }
  return {{"function", loop.function},
          {"begin", s.begin - loop.functionBegin},
          {"end", s.end - loop.functionBegin},
          {"instructions", s.instructions},
          {"matrix_instructions", s.matrixInstructions},
          {"matrix_clocks", s.matrixClocks},
          {"issue", s.issueShare()},
          {"kinds", s.kinds},
          {"widths", s.widths},
          {"nop_clocks", s.nopClocks},
          {"accumulator_moves", s.of("accumulator_move")},
          {"min_load_cover", optionalJson(s.minLoadCover())},
          {"min_lds_cover", optionalJson(s.minLdsCover())},
          {"waits_to_zero", s.waitsToZero()},
          {"waits", std::move(waits)}};
}

} // namespace nstf::emulator
