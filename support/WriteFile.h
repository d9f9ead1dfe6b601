// Files that appear whole or not at all: the one way to write a file.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace nstf::support {

/// Writes the pieces, one behind the other, beside the file, then renames. A link stays one, and what it points to is
/// written; a device or a pipe is written to as it is. Throws std::runtime_error and leaves nothing behind where that
/// fails.
void writeFile(const std::filesystem::path &path, std::initializer_list<std::string_view> pieces);
void writeFile(const std::filesystem::path &path, std::string_view bytes);

/// The same for files that belong together: where one of them fails, all are what they were before.
void writeFiles(const std::vector<std::pair<std::filesystem::path, std::string_view>> &files);

/// Throws what writeFile would throw for want of a folder, of permission or of a name that can be written.
void checkWritable(const std::filesystem::path &path);

} // namespace nstf::support
