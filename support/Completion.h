// Completion of a command line in bash and zsh. The script is generated from the options that the command itself
// parses.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace nstf::support {

/// The values of an option, or of a positional argument.
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

/// The options that --help lists for a command, including those of its groups.
std::vector<const CLI::Option *> listOptions(const CLI::App &app);

/// The options and subcommands of an application. An option's type name describes its values: words in braces are an
/// enumeration ({f32,f16}, the form of CLI::IsMember); FILE, FOLDER, PKG or an ending such as .yaml means files.
CompletionCommand describeCommand(const CLI::App &app);

/// The script for `source <(NAME --completion=bash)`.
std::string makeBashCompletion(const CompletionCommand &command);
/// The script for `source <(NAME --completion=zsh)`, to be sourced after compinit, or to be saved as a file _NAME in a
/// folder of fpath.
std::string makeZshCompletion(const CompletionCommand &command);
/// `shell` is "bash" or "zsh".
std::string makeCompletion(const std::string &shell, const CompletionCommand &command);

/// Adds --version, which prints "NAME VERSION", and --completion, which prints the script for `describe()`. As with
/// --help, parsing ends there with a CLI::Success that app.exit prints.
void addCommonOptions(CLI::App &app, const std::string &version, std::function<CompletionCommand()> describe = {});

} // namespace nstf::support
