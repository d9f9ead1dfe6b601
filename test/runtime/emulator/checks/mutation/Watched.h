// A module whose launches run under a monitor, and a monitor that records which instructions ran.
#pragma once

#include "runtime/emulator/instructions/Monitor.h"
#include "test/runtime/emulator/suite/Module.h"

#include <unordered_set>

namespace nstf::emulator {
class DecodedProgram;
}

namespace nstf::emulator::test {

struct WatchedModule : Module {
  using Module::Module;
  void launch(const LaunchArguments &launch) override;
  Monitor *monitor = nullptr;
  uint64_t stepLimit = 0;
};

/// The instructions that ran, by address in the code object's file.
class Coverage final : public Monitor {
public:
  void launchBegins(const Launch &launch) override;
  void instruction(Wave &wave, const MicroOp *first) override;
  std::unordered_set<uint64_t> executed;
  uint64_t steps = 0;

private:
  uint64_t base = 0;
  const DecodedProgram *program = nullptr;
  std::vector<bool> seen; // by instruction, for the current launch
};

} // namespace nstf::emulator::test
