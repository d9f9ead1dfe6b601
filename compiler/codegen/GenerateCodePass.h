// Code generation as a pass, so that nstf-opt can replay what fails in it.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace nstf {

inline constexpr llvm::StringLiteral generateCodePassName = "nstf-generate-code";

/// Registers `nstf-generate-code`: compiles and links every gpu.module in the module, for the chip of the module's
/// target, as the compiler's last stage does, and says what went wrong. The code object is not kept.
void registerGenerateCodePass();

} // namespace nstf
