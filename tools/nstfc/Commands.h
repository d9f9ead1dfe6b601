// nstfc's commands. Each returns the exit status and throws std::runtime_error for what is wrong; where it has a name
// of its own, that is argv[0]. The command of a model has none.
#pragma once

#include "support/Completion.h"

namespace nstf {

int runModelCommand(int argc, char **argv);
int runKernelCommand(int argc, char **argv);
int runCalibrateCommand(int argc, char **argv);
int runCompressCommand(int argc, char **argv);
int runPackCommand(int argc, char **argv);
int runMemoryCommand(int argc, char **argv);

/// What the commands with a name take, for a shell that completes; of `kernel` every kernel with its options.
support::CompletionCommand describeKernelCommand();
support::CompletionCommand describeCalibrateCommand();
support::CompletionCommand describeCompressCommand();
support::CompletionCommand describePackCommand();
support::CompletionCommand describeMemoryCommand();

/// The error of a command line that names no chip.
inline constexpr const char *noTargetMessage =
    "--target: expected at least one chip, such as --target=gfx942 (nstfc --list-targets shows them), but got none";

/// The chips that --target takes by name, as an enumeration: "{gfx90a,mi210,…}".
std::string getTargetNames();

} // namespace nstf
