// The command line of `nstfc MODEL`.
#pragma once

#include "compiler/driver/Compile.h"
#include "compiler/driver/Remarks.h"
#include "compiler/driver/Verify.h"

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
/// Those of them that a model's memory depends on.
void addModelOptions(CLI::App &app, CompileOptions &compile, std::string &precision);
/// --rope-factors, of every command that imports models.
void addRopeFactors(CLI::App &app, description::RopeFactors &factors);

/// What their texts mean. Throws std::runtime_error for what is wrong.
void parseModelOptions(CompileOptions &compile, const std::string &precision);
/// What the texts of options mean: weights, precision, steps of --verify, and the stage to end with. Throws
/// std::runtime_error for what is wrong, and for options that don't go with each other.
Stage parseOptions(CommandLine &line);

} // namespace nstf
