// The user's options for an import.
#pragma once

#include "compiler/description/Rope.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nstf::import {

struct ImportOptions {
  /// False for --weights=random|none: no weight file is opened, and nstf.weight gets no source.
  bool needWeights = true;
  /// False if the user chooses whether linears read codes; then the checkpoint's setting is ignored.
  bool needActivations = true;
  /// Number of positions, if the user wants another one than the model's.
  std::optional<int64_t> context;
  /// Files that describe architectures; they precede those of templates/models.
  std::vector<std::string> architectures;
  /// Not Auto only for a model with longrope.
  description::RopeFactors ropeFactors = description::RopeFactors::Auto;
};

} // namespace nstf::import
