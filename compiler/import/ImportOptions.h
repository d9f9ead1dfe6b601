// What the user may say about an import.
#pragma once

#include "compiler/description/Rope.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nstf::import {

struct ImportOptions {
  /// False for --weights=random|none: weights need no files, none is opened and nstf.weight gets no source.
  bool needWeights = true;
  /// False where the user says whether linears read codes: then it doesn't matter what the checkpoint has in mind.
  bool needActivations = true;
  /// Positions a run can have, where the user wants others than the model says.
  std::optional<int64_t> context;
  /// Files that describe architectures, beside those of templates/models and before them.
  std::vector<std::string> architectures;
  /// Other than Auto only for a model with longrope.
  description::RopeFactors ropeFactors = description::RopeFactors::Auto;
};

} // namespace nstf::import
