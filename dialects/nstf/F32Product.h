// The attribute of matrix products whose operands nstf-set-precision keeps in f32.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace nstf {

/// A unit attribute of the operation.
inline constexpr llvm::StringLiteral f32ProductAttributeName = "nstf.f32_product";

} // namespace nstf
