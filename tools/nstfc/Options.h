// The command line of `nstfc MODEL`.
#pragma once

#include "compiler/driver/Compile.h"
#include "compiler/driver/Remarks.h"
#include "compiler/driver/Verify.h"
#include "tools/nstfc/ModelOptions.h"

#include <CLI/App.hpp>

namespace nstf {

struct CommandLine {
  CompileOptions compile;
  std::string output, emit = "package", weights = "pack", precision = "auto", remarks, explain;
  bool explains = false;
  RemarkLog log; ///< for --explain
  bool quiet = false, listTargets = false, listOps = false, timePasses = false, verify = false, keepFailed = false;
  std::optional<int64_t> verifyTokens;
  std::vector<std::string> verifySteps, verifyInputs;
  VerifyOptions verification;
};

void addOptions(CLI::App &app, CommandLine &line);
/// Parses the texts of all options: weights, precision, steps of --verify. Returns the stage to end with. Throws
/// std::runtime_error for errors and for options that exclude each other.
Stage parseOptions(CommandLine &line);

} // namespace nstf
