// What the main of every tool does around its work.
#pragma once

#include <exception>
#include <functional>
#include <string_view>

namespace nstf::support {

/// Runs `work` and gives its status. What it throws, and output that nobody could take, is one line of error and
/// status 1; a signal that ends the program leaves nothing half-written behind.
int runTool(const std::function<int()> &work);

/// One line on standard error: of an InputError with a place "FILE:LINE:COLUMN: error: …", else "error: …".
void printError(const std::exception &error);

/// One line on standard error: "error: " and the message, escaped. A message that says "error: " behind its place,
/// "FILE:1:2: error: …", is printed as it is.
void printError(std::string_view message);

} // namespace nstf::support
