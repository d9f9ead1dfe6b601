// A file that is being written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace nstf::support {

/// All functions throw std::runtime_error with the name that the file will have, which may be another than it has now.
class OutputFile {
public:
  /// Makes a file of `size` bytes that wasn't there; where the file system can say so, a full disk is an error already
  /// here.
  static OutputFile create(const std::filesystem::path &path, std::string name, uint64_t size);
  /// Opens a device or a pipe; waits for a FIFO's reader.
  static OutputFile openInPlace(const std::filesystem::path &path);

  OutputFile(OutputFile &&other) noexcept;
  OutputFile &operator=(OutputFile &&) = delete;
  ~OutputFile();

  /// From any thread.
  void writeAt(uint64_t offset, std::span<const std::byte> bytes);
  /// Behind what was written last, as devices and pipes want it.
  void append(std::span<const std::byte> bytes);
  /// Reports what the file system had kept to itself until now. To be called once, at the end.
  void close();

private:
  OutputFile(int descriptor, std::string name) : descriptor(descriptor), name(std::move(name)) {}

  int descriptor;
  std::string name;
};

/// Throws std::runtime_error "NAME: cannot ACTION: " and what errno says.
[[noreturn]] void failErrno(const std::filesystem::path &name, const char *action);

} // namespace nstf::support
