// Reads texts from files. Unlike a model's files, they may be pipes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

/// All of a file, a pipe or a FIFO, unchanged; "-" is standard input. Throws std::runtime_error with the file's name,
/// also if it is a folder or longer than `mebibytes` MiB: some tokenizers need 150 times a text's size in memory.
std::string readText(const std::filesystem::path &file, size_t mebibytes);
