// nstfc --verify: the package against the float64 reference.
#pragma once

#include "compiler/driver/Compile.h"
#include "nstf/Npy.h"

#include <filesystem>
#include <functional>
#include <ostream>

namespace nstf {

struct VerifyOptions {
  /// Tokens of each step, one after the other; no more than the largest step and the context take. Where the context
  /// would end before a step does, a new sequence starts.
  std::vector<int64_t> steps = {16, 1};
  /// May change the numbers of an input before it is used; called for every input of every step.
  std::function<void(const std::string &input, runtime::HostTensor &value)> changeInput;
};

/// Runs the steps on the emulator, for each of the package's targets in a process of its own. Every launch is compared
/// with the reference of its kernel on the very inputs it had, every output and state of the model with the reference
/// run beside it. Prints a line for each kernel, output and state; returns 1 where one is past its tolerance
/// (compiler/reference/Tolerance.h), else 0. Throws std::runtime_error.
int verify(const Compilation &compilation, const std::filesystem::path &package, const VerifyOptions &options,
           std::ostream &os);

} // namespace nstf
