// Completion of a command line in bash and zsh: a script made from the options that the command itself parses.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace nstf::support {

/// What can stand after an option, or by itself.
struct CompletionValue {
  std::vector<std::string> words; ///< of an enumeration
  bool isFile = false;
};

struct CompletionOption {
  std::vector<std::string> names; ///< "-o", "--output"
  std::string about;
  bool takesValue = false;
  CompletionValue value;
};

struct CompletionCommand {
  std::string name, about;
  std::vector<CompletionOption> options;
  CompletionValue positional;
  std::vector<CompletionCommand> commands;
};

/// The options that --help lists of a command, those of its groups too.
std::vector<const CLI::Option *> listOptions(const CLI::App &app);

/// The options and subcommands of an application. A type name says what values are: words in braces are an enumeration
/// ({f32,f16}, which CLI::IsMember writes too); FILE, FOLDER, PKG or an ending (.yaml) in it means that they are files.
CompletionCommand describeCommand(const CLI::App &app);

/// What `source <(NAME --completion=bash)` reads.
std::string makeBashCompletion(const CompletionCommand &command);
/// What `source <(NAME --completion=zsh)` reads, after compinit; as a file _NAME it can stand in a folder of fpath.
std::string makeZshCompletion(const CompletionCommand &command);
/// For "bash" or "zsh".
std::string makeCompletion(const std::string &shell, const CompletionCommand &command);

/// Adds --version, which prints "NAME VERSION", and --completion, which prints the script for `describe()`. As with
/// --help, parsing ends there with a CLI::Success that app.exit prints.
void addCommonOptions(CLI::App &app, const std::string &version, std::function<CompletionCommand()> describe = {});

} // namespace nstf::support
