#include "compiler/package/LauncherCode.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace nstf::launcher {

/// Removes the first line of `text` and returns it without its end.
static std::string_view takeLine(std::string_view &text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

/// `text` from the line behind "//--- `part`" on, or nothing.
static std::string_view findPart(std::string_view text, std::string_view part) {
  while (!text.empty())
    if (std::string_view line = takeLine(text); line.starts_with("//--- ") && line.substr(6) == part)
      return text;
  return {};
}

static bool hasFeature(const Features &features, std::string_view name) {
  const auto found = features.find(name);
  if (found == features.end())
    throw std::logic_error("expected a feature of launchers but got " + std::string(name));
  return found->second;
}

static std::string chooseLines(std::string_view text, const Features &features) {
  std::string chosen;
  std::vector<bool> conditions; // of the #ifs around a line
  while (!text.empty()) {
    const std::string_view line = takeLine(text);
    if (line.starts_with("//--- "))
      break;
    if (line.starts_with("#if ")) {
      conditions.push_back(hasFeature(features, line.substr(4)));
    } else if (line == "#else") {
      conditions.back().flip();
    } else if (line == "#endif") {
      conditions.pop_back();
    } else if (std::find(conditions.begin(), conditions.end(), false) == conditions.end() &&
               line.find("// clang-format o") == std::string_view::npos) {
      chosen += line;
      chosen += '\n';
    }
  }
  return chosen;
}

std::string launcherCode(std::string_view part, const Features &features) {
  for (const auto &[name, text] : launcherFiles())
    if (std::string_view found = findPart(text, part); !found.empty())
      return chooseLines(found, features);
  throw std::logic_error("expected a part of a launcher but got " + std::string(part));
}

} // namespace nstf::launcher
