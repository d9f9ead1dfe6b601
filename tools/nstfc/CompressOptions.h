// The command lines of `nstfc calibrate` and `nstfc compress`.
#pragma once

#include "support/Completion.h"

namespace nstf {

/// Run `nstfc calibrate …` and `nstfc compress …`; argv[0] is the command. Return the exit status. Throw
/// std::runtime_error for what is wrong.
int runCalibrateCommand(int argc, char **argv);
int runCompressCommand(int argc, char **argv);

/// What they take.
std::vector<support::CompletionCommand> describeCompressCommands();

} // namespace nstf
