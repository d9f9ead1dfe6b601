// Both scripts have the same parts: code that finds the command that the words so far name and the option that the
// current word is a value of, and tables of the possible words.
#include "support/Completion.h"
#include "support/Escape.h"

#include <algorithm>
#include <functional>
#include <sstream>

namespace nstf::support {

namespace {

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    parts.push_back(part);
  return parts;
}

std::string join(const std::vector<std::string> &parts, const std::string &separator) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : separator) + part;
  return text;
}

CompletionValue readTypeName(const std::string &type) {
  CompletionValue value;
  size_t open = type.find('{'), close = type.find('}');
  if (open != std::string::npos && close != std::string::npos && open < close)
    value.words = split(type.substr(open + 1, close - open - 1), ',');
  std::string rest = type.substr(0, open);
  for (const char *mark : {"FILE", "FOLDER", "PKG", ".yaml", "DIR"})
    value.isFile |= rest.find(mark) != std::string::npos;
  return value;
}

/// Quotes a text for a shell: 'it'\''s'.
std::string quote(const std::string &text) {
  std::string quoted = "'";
  for (char c : text)
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

/// Calls `visit` with every command and the names that lead to it: "", "/kernel", "/kernel/matmul".
void forEachCommand(const CompletionCommand &command, const std::string &path,
                    const std::function<void(const CompletionCommand &, const std::string &)> &visit) {
  visit(command, path);
  for (const CompletionCommand &sub : command.commands)
    forEachCommand(sub, path + "/" + sub.name, visit);
}

std::string functionName(const CompletionCommand &command) {
  std::string name = "_" + command.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// The shell's `case` pattern of all paths to a subcommand. bash and zsh use the same pattern.
std::string commandPatterns(const CompletionCommand &root) {
  std::vector<std::string> patterns;
  forEachCommand(root, "", [&](const CompletionCommand &, const std::string &path) {
    if (!path.empty())
      patterns.push_back(path);
  });
  return patterns.empty() ? "-" : join(patterns, "|"); // "-" is not a path
}

std::string valueCases(const CompletionCommand &root) {
  std::string cases;
  forEachCommand(root, "", [&](const CompletionCommand &command, const std::string &path) {
    for (const CompletionOption &option : command.options) {
      if (!option.takesValue)
        continue;
      std::vector<std::string> patterns;
      for (const std::string &name : option.names)
        patterns.push_back(path + ":" + name);
      cases += "  " + join(patterns, "|") + ") isValue=1 isFile=" + (option.value.isFile ? "1" : "") +
               " choices=" + quote(join(option.value.words, " ")) + " ;;\n";
    }
  });
  return cases;
}

/// The candidates for a word that is not an option's value: options (with their descriptions if `withAbout`),
/// subcommands and other words.
std::string wordCases(const CompletionCommand &root, bool withAbout) {
  std::string cases;
  forEachCommand(root, "", [&](const CompletionCommand &command, const std::string &path) {
    std::vector<std::string> options, words = command.positional.words;
    for (const CompletionOption &option : command.options)
      for (const std::string &name : option.names)
        options.push_back(withAbout ? quote(name + ":" + option.about) : name);
    for (const CompletionCommand &sub : command.commands)
      words.push_back(sub.name);
    cases += "  '" + path + "') isFile=" + (command.positional.isFile ? "1" : "") +
             " choices=" + quote(join(words, " ")) +
             (withAbout ? "\n    options=(" + join(options, "\n      ") + ") ;;\n"
                        : " options=" + quote(join(options, " ")) + " ;;\n");
  });
  return cases;
}

} // namespace

std::vector<const CLI::Option *> listOptions(const CLI::App &app) {
  std::vector<const CLI::Option *> options;
  for (const CLI::Option *option : app.get_options())
    if (!option->get_group().empty()) // options without a group are old names, which --help omits too
      options.push_back(option);
  for (const CLI::App *group : app.get_subcommands({}))
    if (group->get_name().empty())
      for (const CLI::Option *option : listOptions(*group))
        if (option != group->get_help_ptr())
          options.push_back(option);
  return options;
}

CompletionCommand describeCommand(const CLI::App &app) {
  CompletionCommand command{app.get_name(), app.get_description(), {}, {}, {}};
  for (const CLI::Option *option : listOptions(app)) {
    CompletionValue value = readTypeName(option->get_type_name());
    if (option->get_positional()) {
      command.positional.words.insert(command.positional.words.end(), value.words.begin(), value.words.end());
      command.positional.isFile |= value.isFile;
      continue;
    }
    CompletionOption entry{{}, option->get_description(), option->get_items_expected_min() > 0, value};
    for (const std::string &name : option->get_snames())
      entry.names.push_back("-" + name);
    for (const std::string &name : option->get_lnames())
      entry.names.push_back("--" + name);
    command.options.push_back(std::move(entry));
  }
  for (const CLI::App *sub : app.get_subcommands({}))
    if (!sub->get_name().empty())
      command.commands.push_back(describeCommand(*sub));
  return command;
}

// bash passes "--emit=isa" and "a:b" as one word, or split at = and :, depending on COMP_WORDBREAKS. The script handles
// both forms; the test runs both.
std::string makeBashCompletion(const CompletionCommand &command) {
  std::string function = functionName(command);
  return "# Completion of " + command.name + " for bash: source <(" + command.name + " --completion=bash)\n" +
         function +
         R"bash(() {
  local word=${COMP_WORDS[COMP_CWORD]} option= command= isValue= isFile= choices= options= head= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command/${COMP_WORDS[i]}" in
    )bash" +
         commandPatterns(command) + R"bash() command+=/${COMP_WORDS[i]} ;;
    *) break ;;
    esac
  done
  if [[ $word == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 1]} word=
  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = && $COMP_CWORD -gt 1 ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $word == --*=* ]]; then
    option=${word%%=*} head=$option= word=${word#*=}
  else
    option=${COMP_WORDS[COMP_CWORD - 1]}
  fi
  case "$command:$option" in
)bash" + valueCases(command) +
         R"bash(  esac
  if [[ -z $isValue ]]; then
    case "$command" in
)bash" + wordCases(command, /*withAbout=*/false) +
         R"bash(    esac
    [[ $word == -* ]] && choices=$options isFile=
  elif [[ -n $choices && $word == *,* ]]; then
    head+=${word%,*}, word=${word##*,}
  fi
  COMPREPLY=($(compgen -P "$head" -W "$choices" -- "$word"))
  if [[ -n $isFile ]]; then
    local IFS=$'\n'
    COMPREPLY+=($(compgen -P "$head" -f -- "$word"))
    compopt -o filenames 2>/dev/null
  fi
}
complete -F )bash" +
         function + " " + command.name + "\n";
}

std::string makeZshCompletion(const CompletionCommand &command) {
  std::string function = functionName(command);
  return "#compdef " + command.name + "\n# Completion of " + command.name + " for zsh: source <(" + command.name +
         " --completion=zsh)\n" + function + R"zsh(() {
  local word=$words[CURRENT] option= command= isValue= isFile= choices= i
  local -a options given=("${(@)words}")
  for ((i = 2; i < CURRENT; i++)); do
    case "$command/$given[i]" in
    )zsh" +
         commandPatterns(command) + R"zsh() command+=/$given[i] ;;
    *) break ;;
    esac
  done
  if [[ $word == --*=* ]]; then
    option=${word%%=*}
    compset -P '*='
  else
    option=$given[CURRENT-1]
  fi
  case "$command:$option" in
)zsh" + valueCases(command) +
         R"zsh(  esac
  if [[ -z $isValue ]]; then
    case "$command" in
)zsh" + wordCases(command, /*withAbout=*/true) +
         R"zsh(    esac
    if [[ $word == -* ]]; then
      _describe option options
      return
    fi
  elif [[ -n $choices ]]; then
    compset -P '*,'
  fi
  [[ -n $choices ]] && compadd -- ${=choices}
  [[ -n $isFile ]] && _files
}
if [[ $funcstack[1] == )zsh" +
         function + " ]]; then " + function + " \"$@\"; else compdef " + function + " " + command.name + "; fi\n";
}

std::string makeCompletion(const std::string &shell, const CompletionCommand &command) {
  return shell == "bash" ? makeBashCompletion(command) : makeZshCompletion(command);
}

void addCommonOptions(CLI::App &app, const std::string &version, std::function<CompletionCommand()> describe) {
  app.set_version_flag("--version", version, "print the version and leave");
  if (!describe)
    describe = [&app] { return describeCommand(app); };
  app.add_option_function<std::string>(
         "--completion",
         [describe](const std::string &shell) {
           if (shell != "bash" && shell != "zsh")
             throw CLI::ValidationError("--completion", "expected bash or zsh but got '" + escape(shell) + "'");
           throw CLI::CallForVersion(makeCompletion(shell, describe()), 0);
         },
         "print the completion script of a shell and leave: source <(" + app.get_name() + " --completion=bash)")
      ->trigger_on_parse()
      ->type_name("{bash,zsh}");
}

} // namespace nstf::support
