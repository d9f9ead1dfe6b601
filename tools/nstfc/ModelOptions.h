// The options that determine a model's kernels and memory, for all tools that compile one.
#pragma once

#include "compiler/driver/Compile.h"

#include <CLI/App.hpp>
#include <string>

namespace nstf {

void addModelOptions(CLI::App &app, CompileOptions &compile, std::string &precision);
/// Adds --rope-factors to a command that imports models.
void addRopeFactors(CLI::App &app, description::RopeFactors &factors);

/// Parses the texts of these options. Throws std::runtime_error for errors.
void parseModelOptions(CompileOptions &compile, const std::string &precision);

} // namespace nstf
