// Error messages for command lines.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace nstf::support {

/// One line: CLI11's message, shortened if it quotes long text; the nearest option to an unknown one; and how to get
/// help for the command that was called.
std::string describeCommandLineError(const CLI::App &app, const CLI::ParseError &error);

} // namespace nstf::support
