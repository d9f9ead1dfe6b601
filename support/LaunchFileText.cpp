#include "support/LaunchFileText.h"
#include "support/Escape.h"

#include <nlohmann/json.hpp>

namespace nstf::support {
namespace {

/// A text as a YAML scalar: plain if YAML reads it back as the same string, else in quotes.
std::string quote(std::string_view text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";
  const bool isPlain = text.find_first_not_of(plain) == text.npos && text.find_first_of(".+-") != 0;
  if (isPlain && !text.empty() && text != "null" && text != "Null" && text != "NULL")
    return std::string(text);
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string comment(const std::string &about) { return about.empty() ? "" : "  # " + escape(about, longLimit); }

std::string line(const std::string &text, const std::string &about) { return text + comment(about) + "\n"; }

} // namespace

std::string yamlBuffer(std::string_view name) { return "{buffer: " + quote(name) + "}"; }

std::filesystem::path nameFor(const std::filesystem::path &path, const std::filesystem::path &launch) {
  const std::filesystem::path whole = std::filesystem::weakly_canonical(std::filesystem::absolute(path));
  const std::filesystem::path folder =
      std::filesystem::weakly_canonical(std::filesystem::absolute(launch).parent_path());
  std::filesystem::path name = whole.lexically_relative(folder);
  return name.empty() || *name.begin() == ".." ? whole : name;
}

std::string LaunchFileText::str() const {
  std::string text;
  for (size_t begin = 0; begin < about.size();) {
    const size_t end = std::min(about.find('\n', begin), about.size());
    text += "# " + escape(about.substr(begin, end - begin), longLimit) + "\n";
    begin = end + 1;
  }
  text += "code_object: " + quote(codeObject.string()) + "\n";
  text += "target: " + quote(target) + "\n";
  text += buffers.empty() ? "" : "buffers:\n";
  for (const Buffer &buffer : buffers)
    text += line("  " + quote(buffer.name) + ": {type: " + buffer.type + ", shape: " + buffer.shape +
                     (buffer.init.empty() ? "" : ", init: " + buffer.init) + "}",
                 buffer.about);
  text += "launches:\n  - kernel: " + quote(kernel) + "\n";
  text += line("    grid: " + grid.yaml, grid.about);
  text += line("    block: " + block.yaml, block.about);
  text += line("    dynamic_lds: " + dynamicLds.yaml, dynamicLds.about);
  if (!argumentsAbout.empty())
    return text + line("    args: " + std::string(notFilledIn), argumentsAbout);
  text += arguments.empty() ? "    args: []\n" : "    args:\n";
  for (const Value &argument : arguments)
    text += line("      - " + argument.yaml, argument.about);
  return text;
}

} // namespace nstf::support
