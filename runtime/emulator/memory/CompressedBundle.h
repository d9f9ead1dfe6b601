// Clang's compressed offload bundles: "CCOB", u16 version, u16 method, sizes, u64 hash, the compressed bundle.
//
//   version 1: u32 size of the bundle                                    (header 20 bytes)
//   version 2: u32 size of all this, u32 size of the bundle              (24 bytes)
//   version 3: the same with u64                                         (32 bytes)
//
// Method 0 is zlib, 1 zstd. The hash is the lower half of the bundle's MD5, little-endian. Layout: LLVM's
// llvm/Object/OffloadBundle.h; version 1 was written by ROCm 6.0 and 6.1. Decompression is LLVM's (libLLVM has both).
#pragma once

#include "runtime/emulator/memory/SharedBytes.h"

#include <cstdint>

namespace nstf::emulator {

struct CompressedBundle {
  static constexpr char fileMagic[] = "CCOB";

  unsigned version = 0;
  bool zstd = false; ///< else zlib
  uint64_t headerBytes = 0;
  uint64_t totalBytes = 0;   ///< header and compressed bytes
  bool totalIsBound = false; ///< version 1 with zlib: totalBytes is only an upper bound
  uint64_t unpackedBytes = 0;
  uint64_t hash = 0;

  static bool startsHere(std::span<const std::byte> bytes);
  /// Reads the header at the start of `bytes`; more bytes may follow the bundle. With `endless`, the size of `bytes` is
  /// only an upper bound. Throws LoadError(Malformed), with `place` at the start of the message.
  static CompressedBundle parse(std::span<const std::byte> bytes, bool endless, const std::string &place);
  /// Decompresses, and compares size and hash with the header. Throws LoadError.
  SharedBytes unpack(std::span<const std::byte> bytes, const std::string &place, bool checkHash = true) const;
  /// "CCOB version 3, zstd".
  std::string str() const;
};

} // namespace nstf::emulator
