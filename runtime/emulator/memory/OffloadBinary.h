// LLVM's offload binary, which holds one device image. OpenMP programs have it in section .llvm.offloading;
// clang-offload-packager writes it.
//
//   u8 magic[4] = 10 ff 10 ad, u32 version, u64 size, u64 offset and size of the entry
//   entry: u16 kind of image, u16 producer, u32 flags, u64 offset and number of strings, u64 offset and size of the
//   image strings: u64 offset of key, u64 offset of value ("triple", "arch"), both ended by 0
//
// Offsets count from the magic. Layout: LLVM's llvm/Object/OffloadBinary.h, whose own reader does not check offsets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace nstf::emulator {

struct OffloadBinary {
  uint64_t size = 0;                        ///< of the whole binary
  uint64_t imageOffset = 0, imageBytes = 0; ///< in the binary
  std::string triple, arch;                 ///< "amdgcn-amd-amdhsa", "gfx942:xnack-"

  static bool startsHere(std::span<const std::byte> bytes);
  /// Reads the binary at the start of `bytes`. Throws LoadError(Malformed), with `place` at the start of the message.
  static OffloadBinary parse(std::span<const std::byte> bytes, const std::string &place);
};

} // namespace nstf::emulator
