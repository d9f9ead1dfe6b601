// A file that appears whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>

namespace nstf {

/// Writes beside `file`, then renames. Throws std::runtime_error and leaves nothing behind where that fails.
void writeFileAside(const std::filesystem::path &file, std::string_view bytes);

} // namespace nstf
