// model.h and model.cpp of a package: a launcher of this one model, for applications that use no other part of NSTF.
//
// The manifest is converted to C++: a typed function for the inputs, one for every output, and the launches as constant
// tables. So a program needs no JSON and no run-time library but HIP. The code that loads and runs a package is the
// same for every model, and does the same as runtime/model/Session.cpp.
#pragma once

#include "nstf/Manifest.h"

#include <string>
#include <string_view>

namespace nstf {

/// The text of model.h. The manifest must be valid for its reader.
std::string launcherHeaderText(const manifest::Manifest &manifest);

/// The text of model.cpp. `digest` is the manifest's digest: the launcher refuses any other package.
std::string launcherSourceText(const manifest::Manifest &manifest, std::string_view digest);

} // namespace nstf
