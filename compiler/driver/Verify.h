// nstfc --verify: compares the package with the float64 reference.
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
  /// The position where the step starts, with random numbers in every state. Nothing: after the previous step.
  std::optional<int64_t> position;
  VerifyStep(int64_t tokens, std::optional<int64_t> position = {}) : tokens(tokens), position(position) {}
};

struct VerifyOptions {
  /// Run one after another. No step has more tokens than the largest step and the context allow. If a step without a
  /// position would exceed the context, a new sequence starts.
  std::vector<VerifyStep> steps = {16, 1};
  /// Called for every input of every step; may change the input's numbers before use.
  std::function<void(const std::string &input, runtime::HostTensor &value)> changeInput = {};
  /// If not empty, the report is also written to this file, as JSON.
  std::filesystem::path reportFile = {};
  /// Called after every launch, before it is compared; may change the session's memory.
  std::function<void(runtime::Session &session, const runtime::LaunchView &launch)> changeMemory = {};
};

/// Throws std::runtime_error if a step has more tokens than the largest step, or ends past the context. Precondition:
/// the compilation is past Stage::Fused.
void checkSteps(const Compilation &compilation, const std::vector<VerifyStep> &steps);

/// Runs the steps on the emulator, for each target of the package in its own process. Every launch is compared with the
/// reference of its kernel on the launch's actual inputs; every output and state of the model is compared with a
/// reference run of the whole model. If products read rows as codes, that reference has a twin, which bounds the error
/// of each row, and caches of codes are compared as decoded numbers. Prints a line for each kernel, output and state.
/// Returns 1 if one exceeds its tolerance (compiler/reference/Tolerance.h, Twin.h), else 0. If a target could not be
/// run, throws std::runtime_error after the other targets have run.
int verify(const Compilation &compilation, const std::filesystem::path &package, const VerifyOptions &options,
           std::ostream &os);

} // namespace nstf
