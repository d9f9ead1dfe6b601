#include "runtime/emulator/checks/Checker.h"
#include "runtime/emulator/decode/DecodedProgram.h"
#include "runtime/emulator/instructions/Wave.h"

#include <algorithm>
#include <stdexcept>

namespace nstf::emulator::checks {

CheckSet CheckSet::parse(std::string_view names, std::string_view origin) {
  CheckSet set;
  while (!names.empty()) {
    size_t comma = names.find(',');
    std::string_view name = names.substr(0, comma);
    names = comma == names.npos ? "" : names.substr(comma + 1);
    if (name == "memory")
      set.memory = true;
    else if (name == "uninit")
      set.uninit = true;
    else if (name == "race")
      set.race = true;
    else if (name == "hazard")
      set.hazard = true;
    else if (name == "wait")
      set.wait = true;
    else if (name == "all")
      set.memory = set.uninit = set.race = set.hazard = set.wait = true;
    else if (name == "backward")
      set.backward = true;
    else
      throw std::invalid_argument(std::string(origin) +
                                  ": expected memory, uninit, race, hazard, wait or all but got '" + std::string(name) +
                                  "'");
  }
  return set;
}

void FindingList::add(Finding finding) {
  for (Finding &known : findings)
    if (known.pc == finding.pc && known.check == finding.check && known.what == finding.what) {
      known.count += finding.count;
      return;
    }
  if (findings.size() < most)
    findings.push_back(std::move(finding));
  else
    ++left;
}

void CheckContext::report(const Wave &wave, const MicroOp *op, std::string check, std::string what, uint64_t lanes) {
  Finding finding = findingAt(wave, op, std::move(check), std::move(what));
  finding.lanes = lanes;
  findings.add(std::move(finding));
}

Checker::Checker(CheckSet set, const Target &target, Memory &memory)
    : context{target, memory, {}, nullptr}, backward(set.backward) {
  if (set.uninit)
    checks.push_back(makeUninitCheck(context));
  if (set.race)
    checks.push_back(makeRaceCheck(context));
  if (set.memory) // last: it ends the launch, what the others have to say of the access comes first
    checks.push_back(makeMemoryCheck(context));
  if (set.hazard)
    checks.push_back(makeHazardCheck(context));
  if (set.wait)
    checks.push_back(makeWaitCheck(context));
}
Checker::~Checker() = default;

std::unique_ptr<Checker> makeChecker(CheckSet set, const Target &target, Memory &memory) {
  return std::make_unique<Checker>(set, target, memory);
}

std::unique_ptr<ProgramFacts> &Checker::factsOf(const Launch &launch) {
  // By where the code is too: that address isn't given out again when the program goes.
  return facts[{launch.program, launch.program->addressOfInstruction(0)}];
}

void Checker::launchBegins(const Launch &launch) {
  context.facts = std::move(factsOf(launch));
  if (!context.facts)
    context.facts = std::make_unique<ProgramFacts>(context.target, *launch.program);
  for (auto &check : checks)
    check->launchBegins(launch);
}
void Checker::launchEnds(const Launch &launch) {
  for (auto &check : checks)
    check->launchEnds(launch);
  factsOf(launch) = std::move(context.facts);
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
