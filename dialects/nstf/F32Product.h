// A product whose operands stay f32, whatever nstf-set-precision makes of the others'.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace nstf {

/// A unit attribute of the operation.
inline constexpr llvm::StringLiteral f32ProductAttributeName = "nstf.f32_product";

} // namespace nstf
