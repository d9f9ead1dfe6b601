// Runs a command of nstfc whose options are a struct: `add` declares the options, `run` executes the command.
#pragma once

#include "support/CommandLineError.h"
#include "support/Completion.h"

#include <CLI/CLI.hpp>
#include <stdexcept>
#include <string>

namespace nstf {

/// argv[0] is the command's name.
template <typename Line> int runCommand(int argc, char **argv, const char *about) {
  Line line;
  std::string name = "nstfc " + std::string(argv[0]);
  CLI::App app(about, name);
  line.add(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // --help
      return app.exit(error);
    throw std::runtime_error(support::describeCommandLineError(app, error));
  }
  return run(line);
}

/// Describes the command's options for shell completion.
template <typename Line> support::CompletionCommand describeCommand(const char *name, const char *about) {
  Line line;
  CLI::App app(about, name);
  line.add(app);
  return support::describeCommand(app);
}

} // namespace nstf
