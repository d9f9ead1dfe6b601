// `--explain`: the parts of each kernel, and the reason for each choice.
#pragma once

#include "compiler/driver/Compile.h"

#include <string>

namespace nstf {

/// Explains every kernel whose symbol matches the regular expression, target by target. The reasons are the catalog's
/// and those of the passes' remarks. Throws std::runtime_error if the expression is invalid or matches no kernel.
/// Precondition: the compilation had a log of remarks and ran to Stage::Hsaco or further.
std::string explain(const Compilation &compilation, const std::string &kernels);

} // namespace nstf
