// The command line of `nstfc kernel`.
#pragma once

#include "support/Completion.h"

namespace nstf {

/// Runs `nstfc kernel …`; argv[0] is "kernel". Returns the exit status. Throws std::runtime_error for what is wrong.
int runKernelCommand(int argc, char **argv);

/// What `nstfc kernel` takes, every kernel with its options.
support::CompletionCommand describeKernelCommand();

/// The chips that --target takes by name, as an enumeration: "{gfx90a,mi210,…}".
std::string getTargetNames();

} // namespace nstf
