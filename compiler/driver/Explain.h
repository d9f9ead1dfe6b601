// `--explain`: what each kernel is made of and why.
#pragma once

#include "compiler/driver/Compile.h"

#include <string>

namespace nstf {

/// Text about every kernel whose symbol matches the regular expression, target by target. The reasons are the catalog's
/// and those that passes gave in remarks. Throws std::runtime_error where the expression is none, or matches no kernel.
/// Precondition: the compilation had a log of remarks and ran to Stage::Hsaco or further.
std::string explain(const Compilation &compilation, const std::string &kernels);

} // namespace nstf
