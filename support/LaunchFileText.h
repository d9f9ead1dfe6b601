// The text of a launch file with one launch, for nstf-emu (tools/nstf-emu/README.md has the format).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::support {

/// Placeholder for a value that the file's generator does not know; nstf-emu reports that it must be filled in.
inline constexpr std::string_view notFilledIn = "FILL_IN";

struct LaunchFileText {
  /// A value in YAML, with a comment about it.
  struct Value {
    std::string yaml, about = {};
  };
  struct Buffer {
    std::string name, type, shape, init; ///< all but the name are YAML; an empty init is omitted
    std::string about = {};
  };

  std::string about;                ///< the comment at the top, with line breaks
  std::filesystem::path codeObject; ///< path as the file writes it (nameFor)
  std::string target;               ///< "gfx942"
  std::vector<Buffer> buffers;      ///< with unique names
  std::string kernel;               ///< its symbol
  Value grid, block, dynamicLds;
  std::vector<Value> arguments;    ///< "{buffer: a}"
  std::string argumentsAbout = {}; ///< if there are no arguments: a comment on what to fill in; else empty

  std::string str() const;
};

/// The path of the file `path` as a launch file at `launch` writes it: relative to the launch file's folder if the file
/// lies below that folder, else absolute.
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
