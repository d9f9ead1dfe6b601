// What makes the inputs of linears, and whether it can be scaled channel by channel without changing the model.
#pragma once

#include "compiler/calibrate/LinearSites.h"

#include <optional>

namespace nstf::compress {

/// Where 1/s of an input's channels goes: into the weight of a norm, and its bias, or into the rows of another site.
struct FoldTarget {
  WeightOp normWeight, normBias;
  std::optional<size_t> site;
};

/// The weight behind an operand that nothing else reads, or null.
WeightOp findOwnWeight(mlir::Value operand);

/// Nothing where the input's maker has other readers than sites, or is no product by channel: attention whose heads
/// share keys and values, a gate, the residual.
std::optional<FoldTarget> findFoldTarget(const calibrate::LinearSites &sites, const calibrate::SiteInput &input);

} // namespace nstf::compress
