// A launch file for a kernel of any code object, as far as its descriptor, metadata and code tell: argument kinds and
// sizes, workgroup, LDS. What they don't tell is marked (support::notFilledIn), and who runs the file is told so.
#pragma once

#include "support/LaunchFileText.h"

#include <string>

namespace nstf::emulator {

/// All but the text's codeObject. `kernel`: its symbol or C++ name; empty: the only one. `target`: the chip ("gfx942");
/// empty: the one that the file has code for. Throws LoadError and std::runtime_error, also where several kernels or
/// chips might be meant.
support::LaunchFileText draftLaunch(const std::string &file, const std::string &kernel, const std::string &target);

} // namespace nstf::emulator
