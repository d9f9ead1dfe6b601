// Products of codes: if both operands of a linear are decoded, the product multiplies codes, and the scales multiply
// the sums.
#pragma once

#include "dialects/nstf/NSTF.h"

#include <optional>

namespace nstf {

/// Element (i, n) of the result: scale of x[i]·scale of w[n]·Σₖ codes of x[i, k]·codes of w[n, k].
struct CodeProduct {
  mlir::Value x, w;                    ///< codes, of one type
  mlir::Value rowScales, columnScales; ///< [M, 1] and [N, 1]
};

/// The product of codes if both operands have codes of the same type without zeros, with one scale for each row; else
/// nullopt.
std::optional<CodeProduct> findCodeProduct(mlir::Operation *op);

} // namespace nstf
