// The one way to write a file: it appears complete or not at all.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace nstf::support {

/// Writes the pieces one after another to a staging file, then renames it. If the path is a link, the link stays and
/// its target is replaced. A device or a pipe is written in place. On failure, throws std::runtime_error and leaves no
/// files behind.
void writeFile(const std::filesystem::path &path, std::initializer_list<std::string_view> pieces);
void writeFile(const std::filesystem::path &path, std::string_view bytes);

/// Writes files that belong together: if one of them fails, all previous files are restored.
void writeFiles(const std::vector<std::pair<std::filesystem::path, std::string_view>> &files);

/// Throws the error that writeFile would throw for a missing folder, a missing permission or a path that can't be
/// written.
void checkWritable(const std::filesystem::path &path);

} // namespace nstf::support
