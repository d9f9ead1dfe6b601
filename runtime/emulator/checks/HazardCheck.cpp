// Finds instructions that follow each other too closely for the hardware.
//
// The check keeps the wave's last instructions as long as a rule of the table can apply to them, and compares each new
// instruction with them. It observes execution, so distances across branches and calls are those of the wave.
#include "runtime/emulator/checks/Checker.h"
#include "runtime/emulator/checks/HazardClasses.h"
#include "runtime/emulator/checks/PlaceReport.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/instructions/Wave.h"
#include "runtime/emulator/memory/CodeObject.h"

#include <bitset>
#include <deque>
#include <sstream>
#include <unordered_map>

namespace nstf::emulator::checks {
namespace {

constexpr size_t ruleRoom = 96;
using RuleSet = std::bitset<ruleRoom>;

/// The rules of the table in which an instruction takes part.
struct HazardFacts {
  struct Part {
    unsigned rule;
    HazardRegisters registers;
  };
  std::vector<Part> produces, consumes;
  RuleSet producer, consumer;
  unsigned reach = 0; ///< maximum number of wait states that it requires as a producer
};

struct Issued {
  const MicroOp *op;
  const InstructionFacts *facts;
  const HazardFacts *hazards;
  uint64_t end;   ///< time, in wait states of the wave, at its end
  uint64_t jumps; ///< WaveState::jumps when it was issued
};

struct WaveState {
  uint64_t time = 0;  // wait states since the wave began
  uint32_t last = 0;  // instruction's number
  uint64_t jumps = 0; // branches that were taken
  MatrixPipes pipes;
  std::deque<Issued> issued;
};

class HazardCheck final : public Check {
public:
  explicit HazardCheck(CheckContext &context) : Check(context), rules(hazardRules()), reports(context) {
    for (size_t i = 0; i < rules.size(); ++i)
      active[i] = rules[i].chips == HazardChips::Both ||
                  (rules[i].chips == HazardChips::Gfx90a) == (context.target.hazards == HazardRules::Cdna2);
  }

  void launchBegins(const Launch &launch) override {
    waves.clear();
    // The code's address is not reused when a program is unloaded.
    std::pair<const DecodedProgram *, uint64_t> program{launch.program, launch.program->addressOfInstruction(0)};
    if (program != knownProgram) {
      known.clear();
      knownProgram = program;
    }
    lastVectorRegister =
        launch.kernel && launch.kernel->descriptor.accumOffset ? launch.kernel->descriptor.accumOffset - 1 : vgprRows;
  }
  void launchEnds(const Launch &) override {
    reports.flush();
    waves.clear();
  }
  void waveBegins(Wave &wave) override { waves[&wave] = {}; }
  void groupEnds(Workgroup &group) override {
    for (Wave *wave : group.waves)
      waves.erase(wave);
  }
  void instruction(Wave &wave, const MicroOp *op) override;

private:
  const HazardFacts &hazardsOf(const MicroOp *op, const InstructionFacts &facts);
  void check(Wave &wave, const MicroOp *op, const WaveState &state, const HazardFacts::Part &part);
  void checkShift(Wave &wave, const MicroOp *op, const InstructionFacts &facts);
  bool applies(const HazardRule &rule, const Issued &before, const MicroOp *op, const WaveState &state,
               const RegisterRange &produced, const RegisterRange &consumed) const;

  std::span<const HazardRule> rules;
  RuleSet active;
  std::vector<std::unique_ptr<HazardFacts>> known; ///< of the program launched last
  std::pair<const DecodedProgram *, uint64_t> knownProgram{nullptr, 0};
  std::unordered_map<const Wave *, WaveState> waves;
  unsigned lastVectorRegister = vgprRows;
  PlaceReport reports;
};

const HazardFacts &HazardCheck::hazardsOf(const MicroOp *op, const InstructionFacts &facts) {
  if (op->instruction >= known.size())
    known.resize(op->instruction + 1);
  std::unique_ptr<HazardFacts> &slot = known[op->instruction];
  if (slot)
    return *slot;
  slot = std::make_unique<HazardFacts>();
  if (!facts.encoding)
    return *slot;
  for (unsigned i = 0; i < rules.size(); ++i) {
    if (!active[i])
      continue;
    HazardRegisters produced, consumed;
    rules[i].producer(facts, produced);
    rules[i].consumer(facts, consumed);
    if (unsigned states = rules[i].waitStates(facts.passes); !produced.empty() && states) {
      slot->produces.push_back({i, std::move(produced)});
      slot->producer[i] = true;
      slot->reach = std::max(slot->reach, states);
    }
    if (!consumed.empty()) {
      slot->consumes.push_back({i, std::move(consumed)});
      slot->consumer[i] = true;
    }
  }
  return *slot;
}

bool HazardCheck::applies(const HazardRule &rule, const Issued &before, const MicroOp *op, const WaveState &state,
                          const RegisterRange &produced, const RegisterRange &consumed) const {
  switch (rule.overlap) {
  case HazardOverlap::NearestStraight:
    return before.jumps == state.jumps;
  case HazardOverlap::NearestPastJump:
    return before.jumps != state.jumps;
  case HazardOverlap::NearestSame:
    return produced == consumed;
  case HazardOverlap::NearestPartial:
    return !(produced == consumed);
  case HazardOverlap::NearestOther:
    return before.op->opcode != op->opcode;
  default:
    return true;
  }
}

void HazardCheck::check(Wave &wave, const MicroOp *op, const WaveState &state, const HazardFacts::Part &part) {
  const HazardRule &rule = rules[part.rule];
  bool nearest = rule.overlap >= HazardOverlap::NearestAny;
  for (const RegisterRange &range : part.registers) {
    bool pastDgemm = false;
    for (size_t i = state.issued.size(); i-- > 0;) {
      const Issued &before = state.issued[i];
      bool found = false;
      if (before.hazards->producer[part.rule])
        for (const HazardFacts::Part &produced : before.hazards->produces) {
          if (produced.rule != part.rule)
            continue;
          for (const RegisterRange &register_ : produced.registers) {
            if (!register_.overlaps(range))
              continue;
            found = true;
            unsigned needed = rule.waitStates(before.facts->passes);
            uint64_t between = state.time - before.end;
            if (between >= needed || !applies(rule, before, op, state, register_, range) ||
                (rule.overlap == HazardOverlap::PastDgemm && !pastDgemm))
              continue;
            reports.nextAccess();
            reports.add(op, part.rule, 0, [&] {
              const DecodedProgram &program = context.facts->program();
              std::ostringstream what;
              if (range.vector || range.first < hazardUnit)
                what << describe(range) << ": ";
              what << "expected " << needed << (needed == 1 ? " wait state" : " wait states") << " behind '"
                   << program.getText(before.op) << "' at 0x" << std::hex << program.getAddress(before.op) << std::dec
                   << " but got " << between << " (" << rule.name << ": " << rule.source
                   << (*rule.evidence ? "; but " : "") << rule.evidence << ")";
              Finding finding = findingAt(wave, op, "hazard", what.str());
              finding.rule = rule.name;
              finding.isAdvice = rule.grade == HazardGrade::Advice && !context.strictHazards;
              return finding;
            });
            return;
          }
        }
      pastDgemm |= before.facts->matrix == MatrixUnit::Double;
      bool matrixHere = before.facts->kind == InstructionKind::Matrix && !before.facts->writes.empty() &&
                        before.facts->writes[0].overlaps(range);
      if (nearest && (found || matrixHere))
        break;
    }
  }
}

/// gfx90a: the amount of a 64-bit shift must not be in the wave's last vector register, if that ends a block of eight
/// (LLVM fixShift64HighRegBug).
void HazardCheck::checkShift(Wave &wave, const MicroOp *op, const InstructionFacts &facts) {
  if (!context.target.shiftAmountBug || facts.encoding->dpp || facts.reads.empty())
    return;
  const Opcode opcode = facts.opcode();
  if (opcode != Opcode::V_LSHLREV_B64 && opcode != Opcode::V_LSHRREV_B64 && opcode != Opcode::V_ASHRREV_I64)
    return;
  const RegisterUse &amount = facts.reads[0];
  if (amount.vector && amount.count == 1 && amount.first % 8 == 7 && amount.first == lastVectorRegister)
    context.report(wave, op, "hazard",
                   describe(amount) +
                       ", the wave's last vector register, is the amount of a 64-bit shift, which gfx90a "
                       "gets wrong (LLVM fixShift64HighRegBug)");
}

bool isConditionalBranch(const InstructionFacts &facts) { return facts.kind == InstructionKind::ConditionalBranch; }
bool isBranch(const InstructionFacts &facts) {
  return facts.kind == InstructionKind::Branch || isConditionalBranch(facts);
}

void HazardCheck::instruction(Wave &wave, const MicroOp *op) {
  const InstructionFacts &facts = context.facts->of(op);
  const HazardFacts &hazards = hazardsOf(op, facts);
  WaveState &state = waves[&wave];
  // Compilers count the instructions of a block to its end, and beyond a taken conditional jump also the jumps after
  // it (LLVM getWaitStatesSince). The hardware takes longer than that for a jump.
  if (state.time && op->instruction != state.last + 1 && isConditionalBranch(context.facts->of(state.last)))
    for (uint32_t next = state.last + 1; isBranch(context.facts->of(next)); ++next) {
      ++state.time;
      if (!isConditionalBranch(context.facts->of(next)))
        break;
    }
  state.jumps += state.time && op->instruction != state.last + 1;
  state.last = op->instruction;
  std::erase_if(state.issued, [&](const Issued &before) { return state.time - before.end >= before.hazards->reach; });
  if (!hazards.consumes.empty() && !state.issued.empty()) {
    RuleSet open;
    for (const Issued &before : state.issued)
      open |= before.hazards->producer;
    if ((open & hazards.consumer).any())
      for (const HazardFacts::Part &part : hazards.consumes)
        if (open[part.rule])
          check(wave, op, state, part);
  }
  if (facts.encoding)
    checkShift(wave, op, facts);
  state.time = state.pipes.issue(facts, state.time) + facts.waitStates;
  if (hazards.reach)
    state.issued.push_back({op, &facts, &hazards, state.time, state.jumps});
}

} // namespace

std::unique_ptr<Check> makeHazardCheck(CheckContext &context) { return std::make_unique<HazardCheck>(context); }

} // namespace nstf::emulator::checks
