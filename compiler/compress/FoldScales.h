// Finds the producers of the linears' inputs, and whether they can be scaled channel by channel without changing the
// model.
#pragma once

#include "compiler/calibrate/LinearSites.h"

#include <optional>

namespace nstf::compress {

/// Where 1/s of an input's channels is folded: the weight and bias of a norm, or the rows of another site.
struct FoldTarget {
  WeightOp normWeight, normBias;
  std::optional<size_t> site;
};

/// The weight of an operand if nothing else reads that weight, else null.
WeightOp findOwnWeight(mlir::Value operand);

/// Returns nothing if the input also has readers that are not sites, or if its producer can't be scaled by channel:
/// attention whose heads share keys and values, a gate, the residual.
std::optional<FoldTarget> findFoldTarget(const calibrate::LinearSites &sites, const calibrate::SiteInput &input);

} // namespace nstf::compress
