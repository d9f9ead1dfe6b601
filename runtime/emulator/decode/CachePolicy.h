// The cache policy bits of a memory instruction.
#pragma once

#include <cstdint>

namespace nstf::emulator {

/// Sources: "CDNA3 Instruction Set Architecture", "Memory scopes and temporal hints"; "User Guide for AMDGPU Backend",
/// "Memory Model gfx90a". gfx90a has glc, slc and scc; gfx942 has sc0, nt and sc1 in the same bits. For an atomic, glc
/// and sc0 mean that it returns the old value.
struct CachePolicy {
  bool glc : 1 = false; ///< gfx90a: a load misses the L1
  bool slc : 1 = false; ///< gfx90a: streaming
  bool scc : 1 = false; ///< gfx90a: coherent with the host
  bool sc0 : 1 = false; ///< gfx942: scope, low bit: wave, workgroup, agent, system
  bool sc1 : 1 = false; ///< gfx942: scope, high bit
  bool nt : 1 = false;  ///< gfx942: streaming

  /// LLVM's operand: bit 0 is glc or sc0, bit 1 slc or nt, bit 4 scc or sc1. `scoped`: the chip has sc0, nt and sc1.
  static CachePolicy decode(uint32_t bits, bool scoped) {
    const bool first = bits & 1, hint = bits & 2, last = bits & 16;
    if (scoped)
      return {.sc0 = first, .sc1 = last, .nt = hint};
    return {.glc = first, .slc = hint, .scc = last};
  }
  bool operator==(const CachePolicy &) const = default;
  /// Whether the access may observe other waves, or be observed by them.
  bool coherent() const { return glc || scc || sc0 || sc1; }
  bool streaming() const { return slc || nt; }
};

} // namespace nstf::emulator
