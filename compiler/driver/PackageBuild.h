// A finished compilation as what the package writer takes: buffers, weights and where their bytes come from, launches.
#pragma once

#include "compiler/driver/Compile.h"
#include "compiler/package/Package.h"

namespace nstf {

/// Throws std::runtime_error where the model holds what a package cannot.
PackageInputs buildPackage(const Compilation &compilation);

/// Of its manifest what is known before any code is: the model, weights and buffers, and the chips. Precondition:
/// Compilation::planLaunches().
manifest::Manifest planPackage(const Compilation &compilation);

} // namespace nstf
