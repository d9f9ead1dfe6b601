// Products whose operands come near the largest numbers of their type.
#pragma once

#include "compiler/compress/Sensitivity.h"

namespace nstf::compress {

/// The 16-bit type that products of a compressed model have: as --precision=auto says.
support::ElementType getProductType(mlir::ModuleOp module);

/// Whether the inputs that calibrated, or the weights of a site come within a factor 4 of the type's largest number:
/// that of f16, for the others have the range of f32. Why, or empty. Throws std::runtime_error for weights that are no
/// numbers.
std::string findRangeFault(const RoundingContext &context, size_t site, support::ElementType type);

} // namespace nstf::compress
