#include "support/CommandLineError.h"
#include "support/Completion.h"
#include "support/DidYouMean.h"
#include "support/Escape.h"

namespace nstf::support {
namespace {

constexpr size_t longestQuote = 300;

/// The names of all options, with their dashes.
std::vector<std::string> optionNames(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::Option *option : listOptions(app)) {
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
    for (const std::string &name : option->get_snames())
      names.push_back("-" + name);
  }
  return names;
}

} // namespace

std::string describeCommandLineError(const CLI::App &app, const CLI::ParseError &error) {
  const CLI::App *called = &app;
  std::string command = app.get_name();
  for (const CLI::App *sub : app.get_subcommands())
    if (!sub->get_name().empty()) { // a nameless subcommand is a group of options
      called = sub;
      command += " " + sub->get_name();
    }
  std::string guess;
  for (const std::string &argument : app.remaining(/*recurse=*/true))
    if (guess.empty() && argument.starts_with("-")) {
      const std::string name = argument.substr(0, argument.find('='));
      guess = didYouMean(name, optionNames(*called));
      if (!guess.empty() && !dynamic_cast<const CLI::ExtrasError *>(&error)) // may explain what is missing
        guess.insert(0, "; unexpected '" + escape(name) + "'");
    }
  return escape(error.what(), longestQuote) + guess + " (" + command + " --help lists the options)";
}

} // namespace nstf::support
