// nstfc --verify: the package against the float64 reference.
#pragma once

#include "compiler/driver/Compile.h"
#include "nstf/Npy.h"
#include "nstf/Session.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <ostream>

namespace nstf {

/// One step of a verification.
struct VerifyStep {
  int64_t tokens;
  /// Where it starts, with every state full of random numbers. Nothing: behind the step before.
  std::optional<int64_t> position;
  VerifyStep(int64_t tokens, std::optional<int64_t> position = {}) : tokens(tokens), position(position) {}
};

struct VerifyOptions {
  /// One after the other; no more tokens than the largest step and the context take. Where the context would end before
  /// a step without a position does, a new sequence starts.
  std::vector<VerifyStep> steps = {16, 1};
  /// May change the numbers of an input before it is used; called for every input of every step.
  std::function<void(const std::string &input, runtime::HostTensor &value)> changeInput = {};
  /// Gets the report as JSON as well; empty: nothing does.
  std::filesystem::path reportFile = {};
  /// May change what the session's memory holds; called after every launch, before that is compared.
  std::function<void(runtime::Session &session, const runtime::LaunchView &launch)> changeMemory = {};
};

/// Throws std::runtime_error where one of the steps takes more tokens than the largest step, or ends past the context.
/// Precondition: the compilation is past Stage::Fused.
void checkSteps(const Compilation &compilation, const std::vector<VerifyStep> &steps);

/// Runs the steps on the emulator, for each of the package's targets in a process of its own. Every launch is compared
/// with the reference of its kernel on the very inputs it had, every output and state of the model with the reference
/// run beside it. Where products read rows as codes, that has a twin which says how far each row may be away, and
/// caches of codes are compared as the numbers they stand for. Prints a line for each kernel, output and state; returns
/// 1 where one is past its tolerance (compiler/reference/Tolerance.h, Twin.h), else 0. Throws std::runtime_error, where
/// a target could not be run after the others have been.
int verify(const Compilation &compilation, const std::filesystem::path &package, const VerifyOptions &options,
           std::ostream &os);

} // namespace nstf
