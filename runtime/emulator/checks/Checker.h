// The checks of a launch.
//
// Each check is a Monitor of its own. The checker forwards all events to the selected checks and keeps their findings.
#pragma once

#include "runtime/emulator/checks/Checks.h"
#include "runtime/emulator/checks/FindingList.h"
#include "runtime/emulator/decode/InstructionFacts.h"
#include "runtime/emulator/instructions/Monitor.h"
#include "runtime/emulator/run/Finding.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::emulator {

class Memory;

namespace checks {

/// State that the checks share, from launch to launch.
struct CheckContext {
  const Target &target;
  Memory &memory;
  FindingList findings;
  std::unique_ptr<ProgramFacts> facts; ///< of the current launch's program
  bool strictHazards = false;          ///< advice of the hazard check counts as findings

  void report(const Wave &wave, const MicroOp *op, std::string check, std::string what, uint64_t lanes = 0);
};

/// A check. It adds findings to `context`, whose `facts` are valid while a launch runs.
class Check : public Monitor {
public:
  explicit Check(CheckContext &context) : context(context) {}

protected:
  CheckContext &context;
};
std::unique_ptr<Check> makeMemoryCheck(CheckContext &context);
std::unique_ptr<Check> makeUninitCheck(CheckContext &context);
std::unique_ptr<Check> makeRaceCheck(CheckContext &context);
std::unique_ptr<Check> makeHazardCheck(CheckContext &context);
std::unique_ptr<Check> makeWaitCheck(CheckContext &context);

class Checker final : public Monitor {
public:
  Checker(CheckSet set, const Target &target, Memory &memory);
  ~Checker() override;
  /// The findings of all launches so far.
  const std::vector<Finding> &findings() const { return context.findings.all(); }
  uint64_t dropped() const { return context.findings.dropped(); }
  /// The first of what each rule advises, with counts.
  const std::vector<Finding> &advice() const { return context.findings.allAdvice(); }

  void launchBegins(const Launch &launch) override;
  void launchEnds(const Launch &launch) override;
  void groupBegins(Workgroup &group) override;
  void groupEnds(Workgroup &group) override;
  void groupStops(Workgroup &group) override;
  void waveBegins(Wave &wave) override;
  void instruction(Wave &wave, const MicroOp *first) override;
  void step(Wave &wave, const MicroOp *op) override;
  void access(Wave &wave, const MicroOp *op, const MemoryAccess &access) override;
  void retired(Wave &wave, const MicroOp *first) override;
  void barrier(Workgroup &group) override;

private:
  /// A program's facts, which are kept from launch to launch.
  std::unique_ptr<ProgramFacts> &getFacts(const Launch &launch);

  CheckContext context;
  bool backward;
  std::vector<std::unique_ptr<Check>> checks;
  std::map<std::pair<const DecodedProgram *, uint64_t>, std::unique_ptr<ProgramFacts>> facts;
};

std::unique_ptr<Checker> makeChecker(CheckSet set, const Target &target, Memory &memory);

} // namespace checks
} // namespace nstf::emulator
