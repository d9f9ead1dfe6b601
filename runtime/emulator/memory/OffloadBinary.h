// LLVM's offload binary, which holds one device image: what OpenMP programs have in section .llvm.offloading, and what
// clang-offload-packager writes.
//
//   u8 magic[4] = 10 ff 10 ad, u32 version, u64 size, u64 offset and size of the entry
//   entry: u16 kind of image, u16 producer, u32 flags, u64 offset and number of strings, u64 offset and size of the
//   image strings: u64 offset of key, u64 offset of value ("triple", "arch"), both ended by 0
//
// Offsets count from the magic. Layout: LLVM's llvm/Object/OffloadBinary.h; its own reader trusts every offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace nstf::emulator {

struct OffloadBinary {
  uint64_t size = 0;                        ///< of all
  uint64_t imageOffset = 0, imageBytes = 0; ///< inside it
  std::string triple, arch;                 ///< "amdgcn-amd-amdhsa", "gfx942:xnack-"

  static bool startsHere(std::span<const std::byte> bytes);
  /// Reads what `bytes` begins with. Throws LoadError(Malformed), with `place` in front of the message.
  static OffloadBinary parse(std::span<const std::byte> bytes, const std::string &place);
};

} // namespace nstf::emulator
