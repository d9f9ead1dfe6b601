// nstfc --verify: the package against the float64 reference.
#pragma once

#include "compiler/driver/Compile.h"

#include <filesystem>
#include <ostream>

namespace nstf {

/// Runs `tokens` tokens in one step and one more in a second on the emulator, for each of the package's targets in a
/// process of its own. Every
/// launch is compared with the reference of its kernel on the very inputs it had, every output of the model with the
/// reference run beside it. Prints a line for each kernel and output; returns 1 where one is past its tolerance
/// (compiler/reference/Tolerance.h), else 0. Throws std::runtime_error.
int verify(const Compilation &compilation, const std::filesystem::path &package, int64_t tokens, std::ostream &os);

} // namespace nstf
