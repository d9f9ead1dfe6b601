// Setup and error handling that every tool's main shares.
#pragma once

#include <exception>
#include <functional>
#include <string_view>

namespace nstf::support {

/// Runs `work` and returns its status. An exception, or output that can't be written, becomes one line of error and
/// status 1. A signal that ends the program leaves no half-written files.
int runTool(const std::function<int()> &work);

/// Prints one line on standard error: "FILE:LINE:COLUMN: error: …" for an InputError with a place, else "error: …".
void printError(const std::exception &error);

/// Prints one line on standard error: "error: " and the message, escaped. A message that already has "error: " after
/// its place, "FILE:1:2: error: …", is printed unchanged.
void printError(std::string_view message);

} // namespace nstf::support
