// Branches and loops that contain only arithmetic: either the compiler's choice between two ways of computing the same
// value (a 64-bit division whose operands fit 32 bits), or a condition of the program that only selects a value. The
// check treats them like a selection by a mask. It reports nothing at EXEC; after both ways, the values that either way
// computed are undefined in the lanes whose condition was undefined.
#include "runtime/emulator/checks/UninitCheck.h"
#include "runtime/emulator/decode/DecodedProgram.h"

#include <algorithm>

namespace nstf::emulator::checks {
namespace {

bool touches(const std::vector<RegisterUse> &uses, unsigned scalar) {
  return std::any_of(uses.begin(), uses.end(),
                     [&](const RegisterUse &use) { return use.overlaps({false, uint16_t(scalar), 1}); });
}
/// Whether EXEC is an operand, other than as the mask of lanes.
bool touchesExec(const std::vector<RegisterUse> &uses) {
  return std::any_of(uses.begin(), uses.end(), [](const RegisterUse &use) {
    return use.overlaps({false, sgpr::exec, 2}) && use.role != OperandRole::Exec;
  });
}

/// Whether an instruction reads VCC or a mask computed by arithmetic.
bool readsMask(const InstructionFacts &facts, const std::vector<unsigned> &masks) {
  return std::any_of(facts.reads.begin(), facts.reads.end(), [&](const RegisterUse &use) {
    auto overlaps = [&](unsigned first) { return use.overlaps({false, uint16_t(first), 2}); };
    return overlaps(sgpr::vcc) || std::any_of(masks.begin(), masks.end(), overlaps);
  });
}

bool isOneOf(const std::string &name, std::initializer_list<const char *> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}
/// Whether the instruction narrows EXEC until an s_or_b64 widens it again. A loop continues with the remaining lanes.
bool narrows(const InstructionFacts &facts) {
  return facts.name() == "S_AND_SAVEEXEC_B64" || (facts.name() == "S_ANDN2_B64" && touchesExec(facts.writes));
}
/// Whether the instruction narrows EXEC, switches to the other way, or saves EXEC for that.
bool switches(const InstructionFacts &facts, const std::vector<unsigned> &masks) {
  if (narrows(facts) || isOneOf(facts.name(), {"S_ANDN2_SAVEEXEC_B64", "S_OR_SAVEEXEC_B64"}))
    return true;
  return facts.name() == "S_XOR_B64" && touchesExec(facts.reads) && !readsMask(facts, masks);
}
/// Logical operations on masks, whose result is a mask.
bool makesMask(const InstructionFacts &facts) {
  return isOneOf(facts.name(), {"S_AND_B64", "S_OR_B64", "S_XOR_B64", "S_ANDN2_B64", "S_ORN2_B64", "S_NOT_B64"}) &&
         !touchesExec(facts.writes);
}

/// Whether the instruction computes in each lane separately, or the same for all lanes.
bool isArithmetic(const InstructionFacts &facts, const std::vector<unsigned> &masks) {
  if (touchesExec(facts.writes))
    return false;
  switch (facts.kind) {
  case InstructionKind::Nop:
  case InstructionKind::Wait:
    return true;
  case InstructionKind::Vector:
  case InstructionKind::Transcendental:
    return facts.laneWise;
  case InstructionKind::Scalar:
    for (const char *indirect : {"S_SET_GPR_IDX_", "S_SETVSKIP", "S_MOVREL"})
      if (facts.name().starts_with(indirect))
        return false;
    return makesMask(facts) || (!touchesExec(facts.reads) && !readsMask(facts, masks));
  default:
    return false;
  }
}

} // namespace

/// The choice that begins after an instruction that narrows EXEC. Its code runs straight on, may jump forward if no
/// lane is left and back to a loop's begin while one is, may contain other choices, and ends where EXEC is widened
/// again.
UninitCheck::Choice UninitCheck::choiceBehind(uint32_t instruction) const {
  constexpr uint32_t longest = 1000;
  const DecodedProgram &program = context.facts->program();
  Choice choice;
  uint64_t begin = program.addressOfInstruction(instruction), furthest = 0; // jump
  unsigned depth = 0;
  bool sccOfMask = false; // SCC depends on lanes
  uint32_t at = instruction;
  for (uint32_t length = 1; length < longest; ++length) {
    at = program.instructionAfter(at);
    if (at >= program.instructionCount())
      break;
    const InstructionFacts &facts = context.facts->of(at);
    uint64_t address = program.addressOfInstruction(at);
    if (facts.name() == "S_OR_B64" && touchesExec(facts.writes) && touchesExec(facts.reads)) {
      if (depth--)
        continue;
      choice.join = furthest <= address ? at : 0;
      return choice;
    }
    int64_t jump = 4 + 4 * int64_t(int16_t(facts.immediate));
    if (facts.name() == "S_CBRANCH_EXECZ" && jump > 0) {
      furthest = std::max(furthest, address + uint64_t(jump));
    } else if (facts.name() == "S_CBRANCH_EXECNZ" && jump <= 0 && address + uint64_t(jump) > begin) {
      continue;
    } else if (switches(facts, choice.masks) || isArithmetic(facts, choice.masks)) {
      if (sccOfMask && touches(facts.reads, sgpr::scc))
        return choice;
      bool isSwitch = switches(facts, choice.masks), isMask = isVector(facts.kind) || (!isSwitch && makesMask(facts));
      if (touches(facts.writes, sgpr::scc))
        sccOfMask = isSwitch || isMask;
      depth += narrows(facts);
      for (const RegisterUse &use : facts.writes) {
        for (unsigned r = 0; use.vector && r < use.count; ++r)
          choice.rows.push_back(use.first + r);
        if (use.vector)
          continue;
        std::erase_if(choice.masks, [&](unsigned mask) { return use.overlaps({false, uint16_t(mask), 2}); });
        if (isMask && use.first != sgpr::scc)
          choice.masks.push_back(use.first);
      }
    } else {
      return choice;
    }
  }
  return choice;
}

bool UninitCheck::beginChoice(WaveShadow &s, const MicroOp *op, uint64_t lanes, Origin origin) {
  auto [found, isNew] = choices.try_emplace(op->instruction);
  if (isNew)
    found->second = choiceBehind(op->instruction);
  if (!found->second.join || s.choiceDepth == std::size(s.choices))
    return false;
  s.choices[s.choiceDepth++] = {op->instruction, found->second.join, lanes, origin};
  s.choiceJoin = found->second.join;
  return true;
}

void UninitCheck::endChoice(WaveShadow &s) {
  const WaveShadow::ChoiceUnderWay &ended = s.choices[--s.choiceDepth];
  const Choice &choice = choices[ended.begin];
  for (unsigned row : choice.rows)
    for (uint64_t left = ended.lanes; left; left &= left - 1)
      s.setLane(row, unsigned(std::countr_zero(left)), ~0u, ended.origin);
  for (unsigned mask : choice.masks)
    s.setScalar64(mask, s.scalar64(mask) | ended.lanes, ended.origin);
  s.choiceJoin = s.choiceDepth ? s.choices[s.choiceDepth - 1].join : WaveShadow::noChoice;
}

} // namespace nstf::emulator::checks
