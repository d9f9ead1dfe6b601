// The text of a launch file with one launch, for nstf-emu (tools/nstf-emu/README.md has the format).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::support {

/// Stands in place of what whoever made the file doesn't know; nstf-emu says that it has to be filled in.
inline constexpr std::string_view notFilledIn = "FILL_IN";

struct LaunchFileText {
  /// A value in YAML, and what is to be said of it in a comment.
  struct Value {
    std::string yaml, about = {};
  };
  struct Buffer {
    std::string name, type, shape, init; ///< all but the name in YAML; an empty init leaves it out
    std::string about = {};
  };

  std::string about;                ///< the comment at the top, with line breaks
  std::filesystem::path codeObject; ///< as the file names it (nameFor)
  std::string target;               ///< "gfx942"
  std::vector<Buffer> buffers;      ///< of different names
  std::string kernel;               ///< its symbol
  Value grid, block, dynamicLds;
  std::vector<Value> arguments;    ///< "{buffer: a}"
  std::string argumentsAbout = {}; ///< where there are none: what may have to be filled in; else empty

  std::string str() const;
};

/// How a launch file at `launch` calls the file at `path`: from its own folder on where it lies below that, else by its
/// absolute path.
std::filesystem::path nameFor(const std::filesystem::path &path, const std::filesystem::path &launch);

/// "[1, 2]"
template <typename Numbers> std::string yamlList(const Numbers &numbers) {
  std::string text;
  for (auto number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

/// "{buffer: a}"
std::string yamlBuffer(std::string_view name);

} // namespace nstf::support
