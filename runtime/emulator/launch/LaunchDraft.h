// Drafts a launch file for a kernel of any code object from its descriptor, metadata and code: argument kinds and
// sizes, workgroup, LDS. Values that these do not give are marked (support::notFilledIn), and running the file reports
// them.
#pragma once

#include "support/LaunchFileText.h"

#include <string>

namespace nstf::emulator {

/// Drafts everything but the text's codeObject. `kernel`: its symbol or C++ name; empty: the only kernel. `target`: the
/// chip ("gfx942"); empty: the one for which the file has code. Throws LoadError and std::runtime_error, also if
/// several kernels or chips are possible.
support::LaunchFileText draftLaunch(const std::string &file, const std::string &kernel, const std::string &target);

} // namespace nstf::emulator
