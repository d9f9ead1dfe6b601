// Runs suite cases on any code object, without the HIP library.
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

/// Launches the kernels of a suite::Run.
struct Module {
  Module(const std::string &chip, const std::vector<char> &code);
  virtual ~Module() = default;
  /// An exception from it is the launch's error.
  virtual void launch(const LaunchArguments &launch) = 0;
  Memory memory;
  const Target &target;
  std::unique_ptr<Program> program;
  uint64_t outputs = 0xcbf29ce484222325u; ///< hash of all bytes copied to the host
};

struct Outcome {
  std::string error;    ///< empty if the case's own check passed
  uint64_t outputs = 0; ///< hash
  bool ok() const { return error.empty(); }
};
Outcome runCase(const suite::Case &test, int size, Module &module);

} // namespace nstf::emulator::test
