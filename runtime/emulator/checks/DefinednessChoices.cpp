// Branches around arithmetic alone: a compiler's own choice between two ways of computing the same (a 64-bit division
// whose operands fit 32 bits), or a condition of the program that decides no more than a value. They are followed as a
// choice by a mask is: nothing is found at EXEC, and what either way computes is undefined, behind both, in the lanes
// whose condition was.
#include "runtime/emulator/checks/UninitCheck.h"
#include "runtime/emulator/decode/DecodedProgram.h"

#include <algorithm>

namespace nstf::emulator::checks {
namespace {

bool touchesExec(const std::vector<RegisterUse> &uses) {
  return std::any_of(uses.begin(), uses.end(), [](const RegisterUse &use) {
    return use.overlaps({false, sgpr::exec, 2}) && use.role != OperandRole::Exec;
  });
}

/// Whether VCC or one of the masks that arithmetic has made is among them.
bool readsMask(const InstructionFacts &facts, const std::vector<unsigned> &masks) {
  return std::any_of(facts.reads.begin(), facts.reads.end(), [&](const RegisterUse &use) {
    auto overlaps = [&](unsigned first) { return use.overlaps({false, uint16_t(first), 2}); };
    return overlaps(sgpr::vcc) || std::any_of(masks.begin(), masks.end(), overlaps);
  });
}

/// What narrows EXEC, switches from one way to the other, or saves it for that.
bool switches(const InstructionFacts &facts, const std::vector<unsigned> &masks) {
  for (const char *known : {"S_AND_SAVEEXEC_B64", "S_ANDN2_SAVEEXEC_B64", "S_OR_SAVEEXEC_B64"})
    if (facts.name() == known)
      return true;
  return facts.name() == "S_XOR_B64" && touchesExec(facts.reads) && !readsMask(facts, masks);
}

/// Lane by lane, or the same for all lanes.
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
    return !touchesExec(facts.reads) && !readsMask(facts, masks);
  default:
    return false;
  }
}

} // namespace

/// The choice that begins behind an instruction which narrows EXEC: straight on, with jumps forward where no lane is
/// left, to where EXEC is widened again, other choices in between.
UninitCheck::Choice UninitCheck::choiceBehind(uint32_t instruction) const {
  constexpr uint32_t longest = 1000;
  const DecodedProgram &program = context.facts->program();
  Choice choice;
  uint64_t furthest = 0; // jump
  unsigned depth = 0;
  uint32_t end = std::min(uint32_t(program.instructionCount()), instruction + longest);
  for (uint32_t at = instruction + 1; at < end; ++at) {
    const InstructionFacts &facts = context.facts->of(at);
    uint64_t address = program.addressOfInstruction(at);
    if (facts.name() == "S_OR_B64" && touchesExec(facts.writes) && touchesExec(facts.reads)) {
      if (depth--)
        continue;
      choice.join = furthest <= address ? at : 0;
      return choice;
    }
    if (facts.name() == "S_CBRANCH_EXECZ" && int16_t(facts.immediate) > 0) {
      furthest = std::max(furthest, address + 4 + 4 * uint64_t(facts.immediate));
    } else if (switches(facts, choice.masks) || isArithmetic(facts, choice.masks)) {
      depth += facts.name() == "S_AND_SAVEEXEC_B64";
      for (const RegisterUse &use : facts.writes) {
        for (unsigned r = 0; use.vector && r < use.count; ++r)
          choice.rows.push_back(use.first + r);
        if (use.vector)
          continue;
        std::erase_if(choice.masks, [&](unsigned mask) { return use.overlaps({false, uint16_t(mask), 2}); });
        if (isVector(facts.kind))
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
