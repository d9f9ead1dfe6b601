// Texts given as files: unlike a model's files they may come through a pipe.
#pragma once

#include <filesystem>
#include <string>

/// All of a file, a pipe or a FIFO, as it is; "-" is standard input. Throws std::runtime_error that names it, also
/// where it is a folder or has no end within 64 MiB.
std::string readText(const std::filesystem::path &file);
