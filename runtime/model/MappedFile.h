//===- MappedFile.h - A file as read-only memory ----------------------------------===//
//
// Weights are mapped, not read: the kernel pages in what is uploaded and may drop it again.
//
//===----------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace nstf::runtime {

class MappedFile {
public:
  /// Maps the whole file. Throws std::runtime_error with the file's name and the system's reason.
  explicit MappedFile(const std::filesystem::path &file);
  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data, length}; }
  std::string_view text() const { return {reinterpret_cast<const char *>(data), length}; }
  std::uint64_t size() const { return length; }

private:
  const std::byte *data = nullptr;
  std::size_t length = 0;
};

} // namespace nstf::runtime
