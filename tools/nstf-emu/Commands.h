// nstf-emu's subcommands. Each function adds its subcommand to the command line and returns a function that runs it
// after parsing; that function returns the exit status.
#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace nstf::emulator::tool {

enum ExitStatus : int {
  fine = 0,
  badInput = 1,   ///< command line, launch file, code object or data
  foundFault = 2, ///< a fault, a finding of a check, or a launch that was stopped
  unexpected = 3, ///< a result differs from the expected one
};

using Command = std::function<int()>;
Command addRun(CLI::App &app);
Command addTrace(CLI::App &app);
Command addList(CLI::App &app);
Command addDisasm(CLI::App &app);
Command addExec(CLI::App &app);

} // namespace nstf::emulator::tool
