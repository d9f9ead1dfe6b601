//===- ImportOptions.h - What the user may say about an import ----------------------------===//
#pragma once

#include <cstdint>
#include <optional>

namespace nstf {

struct ImportOptions {
  /// False for --weights=random|none: weights need no files, none is opened and nstf.weight gets no source.
  bool needWeights = true;
  /// Positions a run can have, where the user wants fewer than the model allows.
  std::optional<int64_t> context;
};

} // namespace nstf
