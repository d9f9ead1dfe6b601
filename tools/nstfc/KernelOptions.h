// The command line of `nstfc kernel`.
#pragma once

namespace nstf {

/// Runs `nstfc kernel …`; argv[0] is "kernel". Returns the exit status. Throws std::runtime_error for what is wrong.
int runKernelCommand(int argc, char **argv);

} // namespace nstf
