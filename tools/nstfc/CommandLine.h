// A command of nstfc whose options are a struct: `add` declares them, `run` does what they say.
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

/// What it takes, for a shell that completes.
template <typename Line> support::CompletionCommand describeCommand(const char *name, const char *about) {
  Line line;
  CLI::App app(about, name);
  line.add(app);
  return support::describeCommand(app);
}

} // namespace nstf
