// Bytes with shared ownership: a file mapped read-only, or pages to decompress into.
//
// Both are separate mappings. A file of gigabytes therefore costs only the pages that are read, and a wrong
// decompressed size in a damaged header costs nothing until bytes are written.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace nstf::emulator {

/// Bytes and their owner (null: the caller owns them).
struct SharedBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;

  /// A part of the bytes that keeps the whole owner alive.
  SharedBytes part(size_t offset, size_t size) const { return {bytes.subspan(offset, size), owner}; }
};

/// Maps a file read-only. Throws LoadError(NoFile) with the system's reason.
SharedBytes mapFile(const std::string &path);

/// `size` writable bytes, all zero; `data` is set to their address. Throws LoadError(OutOfMemory).
SharedBytes mapPages(size_t size, std::byte *&data);

} // namespace nstf::emulator
