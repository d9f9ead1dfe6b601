// Bytes that outlive who made them: a file mapped read-only, or pages to decompress into.
//
// Both are mappings of their own: a file of gigabytes costs only the pages that are read, and a decompressed size that
// a damaged header merely claims costs nothing until bytes really come.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace nstf::emulator {

/// Bytes, and what keeps them (null: they belong to somebody else).
struct SharedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;

  /// A part of them that keeps all of them.
  SharedBytes part(size_t offset, size_t size) const { return {bytes.subspan(offset, size), owner}; }
};

/// Maps a file read-only. Throws LoadError(NoFile) with the system's reason.
SharedBytes mapFile(const std::string &path);

/// `size` writable bytes, all zero; `data` is where to write. Throws LoadError(OutOfMemory).
SharedBytes mapPages(size_t size, std::byte *&data);

} // namespace nstf::emulator
