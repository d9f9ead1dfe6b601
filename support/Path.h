// Paths for messages and for system calls.
#pragma once

#include <filesystem>
#include <string>

namespace nstf::support {

/// The path for a message: escaped, and cut where it is longer than any file name may be.
std::string describePath(const std::filesystem::path &path);

/// Throws std::runtime_error if the path contains a NUL. The system would cut the path there and open another file.
void checkPath(const std::filesystem::path &path);

/// "a file", "a folder", "a FIFO", "a character device".
const char *describeKind(std::filesystem::file_type type);

/// The file that a path refers to after all links are followed.
struct Target {
  std::filesystem::path path; ///< absolute, without a link at its end
  bool isInPlace = false;     ///< a device, a pipe or an open file: written to, never replaced
};

/// Follows the links of `path`, including those whose target does not exist yet. Throws std::runtime_error.
Target findTarget(const std::filesystem::path &path);

} // namespace nstf::support
