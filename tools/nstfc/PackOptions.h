// The command line of `nstfc pack`.
#pragma once

#include "support/Completion.h"

namespace nstf {

/// Runs `nstfc pack …`; argv[0] is the command. Returns the exit status. Throws std::runtime_error for what is wrong.
int runPackCommand(int argc, char **argv);

support::CompletionCommand describePackCommand();

} // namespace nstf
