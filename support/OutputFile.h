// A file that is open for writing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace nstf::support {

/// All functions throw std::runtime_error with the file's final name, which may differ from the name it has while it is
/// written.
class OutputFile {
public:
  /// Creates a file of `size` bytes, which must not exist. Reports a full disk here if the file system can reserve
  /// space.
  static OutputFile create(const std::filesystem::path &path, std::string name, uint64_t size);
  /// Opens a device or a pipe for writing. Blocks until a FIFO has a reader.
  static OutputFile openInPlace(const std::filesystem::path &path);

  OutputFile(OutputFile &&other) noexcept;
  OutputFile &operator=(OutputFile &&) = delete;
  ~OutputFile();

  /// May be called from any thread.
  void writeAt(uint64_t offset, std::span<const std::byte> bytes);
  /// Writes at the end of what was written so far, as devices and pipes require.
  void append(std::span<const std::byte> bytes);
  /// Reports errors that the file system deferred until closing. To be called once, at the end.
  void close();

private:
  OutputFile(int descriptor, std::string name) : descriptor(descriptor), name(std::move(name)) {}

  int descriptor;
  std::string name;
};

/// Throws std::runtime_error "NAME: cannot ACTION: " with the text of errno.
[[noreturn]] void failErrno(const std::filesystem::path &name, const char *action);

} // namespace nstf::support
