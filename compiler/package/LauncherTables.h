// The constants of model.cpp: what the compiler decided (LauncherText.h).
#pragma once

#include "compiler/package/LauncherNames.h"

#include <string>

namespace nstf::launcher {

/// What the tables of a manifest hold, so that model.cpp has the code for that and no other.
struct Contents {
  bool stored = false;    ///< weights in files
  bool converted = false; ///< of these some in another type
  bool given = false;     ///< weights from the application
};
Contents contentsOf(const manifest::Manifest &manifest);

/// Types and constants for weights.
std::string weightTables(const manifest::Manifest &manifest);
/// Types and constants for kernels and launches, of each target and bucket, and of the control block.
std::string launchTables(const manifest::Manifest &manifest, const Names &names);

} // namespace nstf::launcher
