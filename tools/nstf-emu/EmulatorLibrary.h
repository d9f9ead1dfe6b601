// The emulator's libamdhip64, from outside.
#pragma once

#include <filesystem>
#include <string>

namespace nstf::emulator::tool {

/// The folder of the library, beside this program in a build or below the same prefix. Throws std::runtime_error.
std::filesystem::path libraryFolder();

/// A list of HIP's functions that the library exports: which work, and which say "not supported". Throws
/// std::runtime_error.
std::string hipCoverage();

} // namespace nstf::emulator::tool
