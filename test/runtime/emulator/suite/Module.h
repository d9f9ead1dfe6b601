// Suite cases on a code object of the caller's choice, launched without the HIP library.
#pragma once

#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/memory/Memory.h"
#include "test/runtime/emulator/suite/suite.h"

#include <memory>

namespace nstf::emulator {
struct LaunchArguments;
}

namespace nstf::emulator::test {

/// What a suite::Run launches its kernels on.
struct Module {
  Module(const std::string &chip, const std::vector<char> &code);
  virtual ~Module() = default;
  /// What it throws is the launch's error.
  virtual void launch(const LaunchArguments &launch) = 0;
  Memory memory;
  const Target &target;
  std::unique_ptr<Program> program;
  uint64_t outputs = 0xcbf29ce484222325u; ///< hash of all that was copied out
};

struct Outcome {
  std::string error;    ///< empty: the case's own check is content
  uint64_t outputs = 0; ///< hash
  bool ok() const { return error.empty(); }
};
Outcome runCase(const suite::Case &test, int size, Module &module);

} // namespace nstf::emulator::test
