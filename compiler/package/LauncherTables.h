// Writes the constants of model.cpp, which are the compiler's decisions (LauncherText.h).
#pragma once

#include "compiler/package/LauncherNames.h"

#include <string>

namespace nstf::launcher {

/// The features of a manifest that determine which code model.cpp contains.
struct Contents {
  bool stored = false;    ///< some weights are in files
  bool converted = false; ///< some of these have another type in the file
  bool given = false;     ///< some weights come from the application
};
Contents getContents(const manifest::Manifest &manifest);

/// Types and constants for weights.
std::string weightTables(const manifest::Manifest &manifest);
/// Types and constants for the kernels and launches of each target and bucket, and for the control block.
std::string launchTables(const manifest::Manifest &manifest, const Names &names);

} // namespace nstf::launcher
