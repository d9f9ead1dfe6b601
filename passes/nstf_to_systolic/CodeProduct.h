// Products of codes: where both operands of a linear are decoded, codes are multiplied and scales are the sums'.
#pragma once

#include "dialects/nstf/NSTF.h"

#include <optional>

namespace nstf {

/// Row i of the result, column n: scales of x[i]·scales of w[n]·Σₖ codes of x[i, k]·codes of w[n, k].
struct CodeProduct {
  mlir::Value x, w;                    ///< codes, of one type
  mlir::Value rowScales, columnScales; ///< [M, 1] and [N, 1]
};

/// Where both operands have codes of one type that stand for multiples of themselves, with one scale a row.
std::optional<CodeProduct> findCodeProduct(mlir::Operation *op);

} // namespace nstf
