// Which lanes of a wave the LDS serves together, and the cost of bank conflicts between a wave's addresses. The
// compiler uses this to choose LDS layouts, the emulator to count conflicts.
#pragma once

#include <cstdint>
#include <span>

namespace nstf::support {

enum class LdsDirection { Read, Write };

/// The largest number of banks of any LDS.
constexpr unsigned maxLdsBanks = 64;

/// The phases of an access of `bytes` bytes per lane, each as a set of lanes (bit i: lane i). Every lane is in exactly
/// one phase. gfx90a and gfx942 have the same phases. An instruction with two offsets (read2, write2) is two accesses.
///
/// Source: microbenchmarks of gfx942 by latency and by the conflict counter (pyhip, amd-shark) and the documentation of
/// Composable Kernel agree on 4, 8 and 16 bytes. An access of 12 bytes is treated as one of 16, which is unverified.
std::span<const uint64_t> ldsPhases(LdsDirection direction, unsigned bytes);

/// The extra clocks of an access over one without conflicts. Each phase adds the largest number of distinct dwords in
/// one bank, less one. Lanes that access the same dword share it, whichever of its bytes they access.
///
/// `addresses`: one byte address per lane, 64 of them. `lanes`: the active lanes. `bytes`: 1 to 16 per lane. `banks`:
/// number of banks of 4 bytes, at most maxLdsBanks.
uint32_t ldsConflictClocks(LdsDirection direction, unsigned bytes, std::span<const uint32_t> addresses, uint64_t lanes,
                           unsigned banks);

} // namespace nstf::support
