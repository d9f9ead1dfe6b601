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

/// What switches from one way to the other.
bool switches(const std::string &name) {
  for (const char *known : {"S_XOR_B64", "S_AND_B64", "S_ANDN2_B64", "S_ANDN2_SAVEEXEC_B64", "S_OR_SAVEEXEC_B64"})
    if (name == known)
      return true;
  return false;
}

/// Lane by lane, or without any effect on lanes.
bool isArithmetic(const InstructionFacts &facts) {
  if (facts.kind == InstructionKind::Nop || facts.kind == InstructionKind::Wait)
    return true;
  if (facts.name() == "S_MOV_B32" || facts.name() == "S_MOV_B64") // of a constant
    return facts.reads.empty() && !touchesExec(facts.writes);
  bool isVector = facts.kind == InstructionKind::Vector || facts.kind == InstructionKind::Transcendental;
  return isVector && facts.laneWise && !touchesExec(facts.writes);
}

} // namespace

/// The choice that begins behind an instruction which narrows EXEC: straight on, with jumps forward where no lane is
/// left, to where EXEC is widened again.
UninitCheck::Choice UninitCheck::choiceBehind(uint32_t instruction) const {
  constexpr uint32_t longest = 1000;
  const DecodedProgram &program = context.facts->program();
  Choice choice;
  uint64_t furthest = 0; // jump
  uint32_t end = std::min(uint32_t(program.instructionCount()), instruction + longest);
  for (uint32_t at = instruction + 1; at < end; ++at) {
    const InstructionFacts &facts = context.facts->of(at);
    uint64_t address = program.addressOfInstruction(at);
    if (facts.name() == "S_OR_B64" && touchesExec(facts.writes) && touchesExec(facts.reads)) {
      choice.join = furthest <= address ? at : 0;
      return choice;
    }
    if (facts.name() == "S_CBRANCH_EXECZ" && int16_t(facts.immediate) > 0) {
      furthest = std::max(furthest, address + 4 + 4 * uint64_t(facts.immediate));
    } else if (switches(facts.name()) && (touchesExec(facts.reads) || facts.name().ends_with("_SAVEEXEC_B64"))) {
      for (const RegisterUse &use : facts.writes) // no result of the arithmetic any more
        std::erase_if(choice.masks, [&](unsigned mask) { return use.overlaps({false, uint16_t(mask), 2}); });
    } else if (isArithmetic(facts)) {
      for (const RegisterUse &use : facts.writes)
        if (use.vector)
          for (unsigned r = 0; r < use.count; ++r)
            choice.rows.push_back(use.first + r);
        else if (facts.name().starts_with("V_"))
          choice.masks.push_back(use.first);
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
  if (!found->second.join)
    return false;
  s.choice = op->instruction;
  s.choiceJoin = found->second.join;
  s.choiceLanes = lanes;
  s.choiceOrigin = origin;
  return true;
}

void UninitCheck::endChoice(WaveShadow &s) {
  const Choice &choice = choices[s.choice];
  for (unsigned row : choice.rows)
    for (uint64_t left = s.choiceLanes; left; left &= left - 1)
      s.setLane(row, unsigned(std::countr_zero(left)), ~0u, s.choiceOrigin);
  for (unsigned mask : choice.masks)
    s.setScalar64(mask, s.scalar64(mask) | s.choiceLanes, s.choiceOrigin);
  s.choiceJoin = WaveShadow::noChoice;
}

} // namespace nstf::emulator::checks
