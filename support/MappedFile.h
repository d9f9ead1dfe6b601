// A file mapped into memory.
//
// The whole file is mapped read-only. Pages are loaded when they are first accessed, so a checkpoint larger than memory
// can be opened.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace nstf::support {

class MappedFile {
public:
  /// Throws std::runtime_error with the path and the reason if the path is not a readable regular file: a FIFO would
  /// block, and a device may be endless. An empty file is legal here; its reader reports what is missing.
  explicit MappedFile(const std::filesystem::path &path);
  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();

  const std::string &path() const { return name; }
  size_t size() const { return length; }
  const std::byte *data() const { return start; }
  std::span<const std::byte> bytes() const { return {start, length}; }
  std::string_view text() const { return {reinterpret_cast<const char *>(start), length}; }

private:
  std::string name;
  const std::byte *start = nullptr;
  size_t length = 0;
};

/// Reads the whole of a small text file (configuration, YAML). Throws std::runtime_error if the file can't be read or
/// is longer than `limit` bytes.
std::string readTextFile(const std::filesystem::path &path, size_t limit = 64u << 20);

} // namespace nstf::support
