//===- MappedFile.h - A file seen as memory -----------------------------------------===//
//
// Read-only mapping of a whole file: pages come in when touched, so a checkpoint larger than memory can be opened.
//
//===----------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nstf {

class MappedFile {
public:
  /// Throws ImportError when `path` isn't a regular file that can be read.
  explicit MappedFile(const std::string &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  const std::string &path() const { return name; }
  std::size_t size() const { return length; }
  const std::byte *data() const { return start; }
  std::string_view text() const { return {reinterpret_cast<const char *>(start), length}; }

private:
  std::string name;
  const std::byte *start = nullptr;
  std::size_t length = 0;
};

/// The whole of a small text file (configuration, YAML). Throws ImportError when it can't be read or is longer than
/// `limit` bytes.
std::string readTextFile(const std::string &path, std::size_t limit = 64u << 20);

} // namespace nstf
