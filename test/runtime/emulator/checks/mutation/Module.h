// Suite cases on a code object of the caller's choice, under a monitor.
#pragma once

#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/instructions/Monitor.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/memory/Memory.h"
#include "test/runtime/emulator/suite/suite.h"

#include <unordered_set>

namespace nstf::emulator {
class DecodedProgram;
}

namespace nstf::emulator::test {

/// What a suite::Run launches its kernels on.
struct Module {
  Module(const std::string &chip, const std::vector<char> &code);
  Memory memory;
  const Target &target;
  std::unique_ptr<Program> program;
  Monitor *monitor = nullptr;
  uint64_t stepLimit = 0;
  uint64_t outputs = 0xcbf29ce484222325u; ///< hash of all that was copied out
};

struct Outcome {
  std::string error;    ///< empty: the case's own check is content
  uint64_t outputs = 0; ///< hash
  bool ok() const { return error.empty(); }
};
Outcome runCase(const suite::Case &test, int size, Module &module);

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
  std::vector<bool> seen; // by instruction, of the launch at hand
};

} // namespace nstf::emulator::test
