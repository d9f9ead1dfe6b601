// What is wrong with a command line, for people.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace nstf::support {

/// One line: CLI11's words, cut where what they quote is long, a guess at what an unknown option was meant to be, and
/// how to get help of the command that was called.
std::string describeCommandLineError(const CLI::App &app, const CLI::ParseError &error);

} // namespace nstf::support
