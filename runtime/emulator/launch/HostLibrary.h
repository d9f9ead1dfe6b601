// Programs and libraries of the host: what they are linked to, and what they export.
#pragma once

#include <set>
#include <string>

namespace nstf::emulator {

/// The first library whose name begins with `name` ("libamdhip64.so") among those that an ELF file is linked to:
/// "libamdhip64.so.6". Empty if there is none, or if the file is not a 64-bit ELF file.
std::string neededLibrary(const std::string &file, const std::string &name);

/// The functions that programs can be linked to. Throws std::runtime_error.
std::set<std::string> exportedFunctions(const std::string &library);

} // namespace nstf::emulator
