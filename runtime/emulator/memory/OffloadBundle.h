// Clang's offload bundle: magic, u64 number of entries, entries {u64 offset, u64 size, u64 length of ID, ID}; offsets
// from the magic on (clang's "ClangOffloadBundler", "Bundled Binary File Layout"). The ID is kind-triple-targetID, as
// "hipv4-amdgcn-amd-amdhsa--gfx942:xnack-".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::emulator {

struct OffloadBundle {
  static constexpr std::string_view fileMagic = "__CLANG_OFFLOAD_BUNDLE__";

  struct Entry {
    std::string id;
    uint64_t offset = 0, size = 0; ///< inside the bundle
    /// The target ID in it ("gfx942:xnack-"); empty: no amdgpu code object (the host's entry, SPIR-V).
    std::string_view target() const;
  };
  std::vector<Entry> entries;
  uint64_t size = 0; ///< to the end of its last entry

  static bool startsHere(std::span<const std::byte> bytes);
  /// Reads the table of what `bytes` begins with. Every entry lies inside `bytes`. Throws LoadError(Malformed), with
  /// `place` in front of the message.
  static OffloadBundle parse(std::span<const std::byte> bytes, const std::string &place);
};

} // namespace nstf::emulator
