// Which format each matrix of a model gets by a plan.yaml, as `nstfc compress` writes it and people edit it.
#pragma once

#include "passes/nstf/WeightFormat.h"
#include "support/Yaml.h"

#include <vector>

namespace nstf {

/// How many operations read each weight.
llvm::DenseMap<mlir::StringAttr, int64_t> countReaders(GraphOp graph);
/// The matrix of a linear, as plans have it: its weight's name or, where others read that too as of a tied head, the
/// operation's.
std::string getMatrixName(LinearOp op, WeightOp weight, int64_t readers);

/// What a plan's `layers` says of each of these matrices, in their order. Throws support::InputError, with the line,
/// for a name that is none of theirs and where one is missing.
std::vector<support::YamlValue> readLayers(const support::YamlMap &plan, const std::vector<std::string> &matrices);

/// Of a plan's formats those of codes that are rounded by themselves; nothing for numbers. Throws support::InputError.
std::vector<std::optional<WeightFormat>> readFormats(const std::string &path, const std::vector<std::string> &matrices);

} // namespace nstf
