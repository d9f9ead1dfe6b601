// nstfc's commands. Each returns the exit status and throws std::runtime_error for errors. A command with a name gets
// it as argv[0]; the command that compiles a model has none.
#pragma once

#include "support/Completion.h"

namespace nstf {

int runModelCommand(int argc, char **argv);
int runKernelCommand(int argc, char **argv);
int runCalibrateCommand(int argc, char **argv);
int runCompressCommand(int argc, char **argv);
int runPackCommand(int argc, char **argv);
int runMemoryCommand(int argc, char **argv);

/// The options of the named commands, for shell completion; `kernel` includes each kernel's options.
support::CompletionCommand describeKernelCommand();
support::CompletionCommand describeCalibrateCommand();
support::CompletionCommand describeCompressCommand();
support::CompletionCommand describePackCommand();
support::CompletionCommand describeMemoryCommand();

/// The error of a command line without a chip.
inline constexpr const char *noTargetMessage =
    "--target: expected at least one chip, such as --target=gfx942 (nstfc --list-targets shows them), but got none";

/// The chips that --target takes by name, as an enumeration: "{gfx90a,mi210,…}".
std::string getTargetNames();

} // namespace nstf
