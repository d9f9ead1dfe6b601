// Paths as they reach messages and the system.
#pragma once

#include <filesystem>
#include <string>
#include <sys/stat.h>

namespace nstf::support {

/// The path, fit to stand in a message.
std::string describePath(const std::filesystem::path &path);

/// Throws std::runtime_error where the path has a NUL, at which the system would cut it: another file would be meant.
void checkPath(const std::filesystem::path &path);

/// "a folder", "a FIFO", "a device": what `mode`, of struct stat, says of something that isn't a regular file.
const char *describeKind(mode_t mode);

/// Where writing to a path ends.
struct Target {
  std::filesystem::path path; ///< absolute, without a link at its end
  bool isInPlace = false;     ///< a device, a pipe or what is open already: to be written to, not to be replaced
};

/// Follows the links of `path`, also those that point to nothing yet. Throws std::runtime_error.
Target findTarget(const std::filesystem::path &path);

} // namespace nstf::support
