// Files that appear whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

namespace nstf {

/// Writes beside the file, then renames; a device or pipe is written to as it is. Throws std::runtime_error and leaves
/// nothing behind where that fails.
void writeFileAside(const std::filesystem::path &path, std::string_view bytes);

/// The same for files that belong together: where one of them fails, all are what they were before.
void writeFilesAside(const std::vector<std::pair<std::filesystem::path, std::string_view>> &files);

} // namespace nstf
