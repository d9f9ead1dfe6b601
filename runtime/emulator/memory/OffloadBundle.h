// Clang's offload bundle: magic, u64 number of entries, entries {u64 offset, u64 size, u64 length of ID, ID}; offsets
// count from the magic (clang's "ClangOffloadBundler", "Bundled Binary File Layout"). The ID is kind-triple-targetID,
// such as "hipv4-amdgcn-amd-amdhsa--gfx942:xnack-".
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
    uint64_t offset = 0, size = 0; ///< in the bundle
    /// The target ID in the entry's ID ("gfx942:xnack-"); empty: no amdgpu code object (the host's entry, SPIR-V).
    std::string_view target() const;
  };
  std::vector<Entry> entries;
  uint64_t size = 0; ///< up to the end of the last entry

  static bool startsHere(std::span<const std::byte> bytes);
  /// Reads the table of the bundle at the start of `bytes`. Throws LoadError(Malformed), with `place` at the start of
  /// the message, also if an entry lies outside `bytes`.
  static OffloadBundle parse(std::span<const std::byte> bytes, const std::string &place);
};

} // namespace nstf::emulator
