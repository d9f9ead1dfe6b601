// Paths as they reach messages and the system.
#pragma once

#include <filesystem>
#include <string>

namespace nstf::support {

/// The path, fit to stand in a message: escaped, and cut where no file could have such a name.
std::string describePath(const std::filesystem::path &path);

/// Throws std::runtime_error where the path has a NUL, at which the system would cut it: another file would be meant.
void checkPath(const std::filesystem::path &path);

/// "a file", "a folder", "a FIFO", "a character device".
const char *describeKind(std::filesystem::file_type type);

/// Where writing to a path ends.
struct Target {
  std::filesystem::path path; ///< absolute, without a link at its end
  bool isInPlace = false;     ///< a device, a pipe or what is open already: to be written to, not to be replaced
};

/// Follows the links of `path`, also those that point to nothing yet. Throws std::runtime_error.
Target findTarget(const std::filesystem::path &path);

} // namespace nstf::support
