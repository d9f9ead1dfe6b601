// model.h and model.cpp of a package: a launcher of this one model for applications that hold nothing of NSTF.
//
// What the manifest says becomes C++: a typed function for the inputs, one for every output, and the launches as
// constant tables. So a program needs no JSON and no run-time library but HIP. How a package is loaded and run is the
// same for every model, and the same as in runtime/model/Session.cpp.
#pragma once

#include "nstf/Manifest.h"

#include <string>
#include <string_view>

namespace nstf {

/// The text of model.h. The manifest must be one that its reader takes.
std::string launcherHeaderText(const manifest::Manifest &manifest);

/// The text of model.cpp. `digest` is the manifest's: the launcher refuses any other package.
std::string launcherSourceText(const manifest::Manifest &manifest, std::string_view digest);

} // namespace nstf
