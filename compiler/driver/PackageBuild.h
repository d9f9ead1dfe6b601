// Converts a finished compilation to the package writer's input: buffers, weights and the sources of their bytes,
// launches.
#pragma once

#include "compiler/driver/Compile.h"
#include "compiler/package/Package.h"

namespace nstf {

/// Throws std::runtime_error if the model contains something that a package cannot hold.
PackageInputs buildPackage(const Compilation &compilation);

/// The part of the manifest that is known before code generation: the model, weights and buffers, and the chips.
/// Precondition: Compilation::planLaunches().
manifest::Manifest planPackage(const Compilation &compilation);

} // namespace nstf
