// Texts given as files: unlike a model's files they may come through a pipe.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

/// All of a file, a pipe or a FIFO, as it is; "-" is standard input. Throws std::runtime_error that names it, also
/// where it is a folder or longer than so many MiB: some tokenizers take 150 times a text's size in memory.
std::string readText(const std::filesystem::path &file, size_t mebibytes);
