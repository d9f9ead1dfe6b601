// Finds products whose operands come near the largest number of their type.
#pragma once

#include "compiler/compress/Sensitivity.h"

namespace nstf::compress {

/// The 16-bit operand type of a compressed model's products, as --precision=auto chooses it.
support::ElementType getProductType(mlir::ModuleOp module);

/// Checks whether a site's weights, or its inputs in the calibration, come within a factor 4 of the largest number of
/// f16; other types have the range of f32. Returns the reason, or "". Throws std::runtime_error for weights that are
/// not finite.
std::string findRangeFault(const RoundingContext &context, size_t site, support::ElementType type);

} // namespace nstf::compress
