// nstf-emu's subcommands. Each adds itself to the command line; what it returns runs after parsing and gives the exit
// status.
#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace nstf::emulator::tool {

enum ExitStatus : int {
  fine = 0,
  badInput = 1,   ///< command line, launch file, code object or data
  foundFault = 2, ///< a fault, a check's finding, or a launch that was stopped
  unexpected = 3, ///< a result is not what was expected
};

using Command = std::function<int()>;
Command addRun(CLI::App &app);
Command addTrace(CLI::App &app);
Command addList(CLI::App &app);
Command addDisasm(CLI::App &app);

} // namespace nstf::emulator::tool
