// A file that appears whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>

namespace nstf {

/// Writes beside the file, then renames; a device or pipe is written to as it is. Throws std::runtime_error and leaves
/// nothing behind where that fails.
void writeFileAside(const std::filesystem::path &path, std::string_view bytes);

} // namespace nstf
