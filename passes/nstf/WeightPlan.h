// The format of each matrix of a model in a plan.yaml, as `nstfc compress` writes it and users edit it.
#pragma once

#include "passes/nstf/WeightFormat.h"
#include "support/Yaml.h"

#include <vector>

namespace nstf {

/// The number of operations that read each weight.
llvm::DenseMap<mlir::StringAttr, int64_t> countReaders(GraphOp graph);
/// The name of a linear's matrix in plans: its weight's name, or the operation's name if other operations read the
/// weight too, such as a tied head.
std::string getMatrixName(LinearOp op, WeightOp weight, int64_t readers);

/// The entry of a plan's `layers` for each of these matrices, in their order. Throws support::InputError, with the
/// line, for a name that is none of theirs, and for a missing one.
std::vector<support::YamlValue> readLayers(const support::YamlMap &plan, const std::vector<std::string> &matrices);

/// The formats of a plan: nullopt for a matrix that the plan leaves in numbers. Throws support::InputError.
std::vector<std::optional<WeightFormat>> readFormats(const std::string &path, const std::vector<std::string> &matrices);

} // namespace nstf
