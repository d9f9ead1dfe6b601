#include "runtime/emulator/checks/Checker.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/instructions/Wave.h"

#include <algorithm>

namespace nstf::emulator::checks {

void CheckContext::report(const Wave &wave, const MicroOp *op, std::string check, std::string what, uint64_t lanes) {
  Finding finding = findingAt(wave, op, std::move(check), std::move(what));
  finding.lanes = lanes;
  findings.add(std::move(finding));
}

Checker::Checker(CheckSet set, const Target &target, Memory &memory)
    : context{target, memory, FindingList(set.allPlaces ? FindingList::allPlaces : FindingList::usualPlaces), nullptr,
              set.strictHazards},
      backward(set.backward) {
  for (const bool endsLaunch : {false, true})
    for (const CheckInfo &check : allChecks())
      if (set.has(check) && check.endsLaunch == endsLaunch)
        checks.push_back(check.make(context));
}
Checker::~Checker() = default;

std::unique_ptr<Checker> makeChecker(CheckSet set, const Target &target, Memory &memory) {
  return std::make_unique<Checker>(set, target, memory);
}

std::unique_ptr<ProgramFacts> &Checker::getFacts(const Launch &launch) {
  // The key includes the code's address, which is not reused when the program is unloaded.
  return facts[{launch.program, launch.program->addressOfInstruction(0)}];
}

void Checker::launchBegins(const Launch &launch) {
  context.facts = std::move(getFacts(launch));
  if (!context.facts)
    context.facts = std::make_unique<ProgramFacts>(context.target, *launch.program);
  for (auto &check : checks)
    check->launchBegins(launch);
}
void Checker::launchEnds(const Launch &launch) {
  for (auto &check : checks)
    check->launchEnds(launch);
  getFacts(launch) = std::move(context.facts);
}
void Checker::groupBegins(Workgroup &group) {
  if (backward)
    std::reverse(group.waves.begin(), group.waves.end());
  for (auto &check : checks)
    check->groupBegins(group);
}
void Checker::groupEnds(Workgroup &group) {
  for (auto &check : checks)
    check->groupEnds(group);
}
void Checker::groupStops(Workgroup &group) {
  for (auto &check : checks)
    check->groupStops(group);
}
void Checker::waveBegins(Wave &wave) {
  for (auto &check : checks)
    check->waveBegins(wave);
}
void Checker::instruction(Wave &wave, const MicroOp *first) {
  for (auto &check : checks)
    check->instruction(wave, first);
}
void Checker::step(Wave &wave, const MicroOp *op) {
  for (auto &check : checks)
    check->step(wave, op);
}
void Checker::access(Wave &wave, const MicroOp *op, const MemoryAccess &access) {
  for (auto &check : checks)
    check->access(wave, op, access);
}
void Checker::retired(Wave &wave, const MicroOp *first) {
  for (auto &check : checks)
    check->retired(wave, first);
}
void Checker::barrier(Workgroup &group) {
  for (auto &check : checks)
    check->barrier(group);
}

} // namespace nstf::emulator::checks
