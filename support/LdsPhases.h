// Which lanes of a wave the LDS serves together, and what a wave's addresses cost where they meet on a bank. For the
// compiler, which chooses layouts of LDS by it, and for the emulator, which counts what happened.
#pragma once

#include <cstdint>
#include <span>

namespace nstf::support {

enum class LdsDirection { Read, Write };

/// Banks that an LDS has at most.
constexpr unsigned maxLdsBanks = 64;

/// The phases of an access of `bytes` a lane, as sets of lanes (bit i: lane i): each lane stands in one of them. gfx90a
/// and gfx942 serve them alike. An instruction with two offsets (read2, write2) is two accesses.
///
/// Source: microbenchmarks of gfx942 by latency and by counter of conflicts (pyhip, amd-shark) and the documentation of
/// Composable Kernel agree on 4, 8 and 16 bytes. Taken as the next wider access, unverified: 12 bytes.
std::span<const uint64_t> ldsPhases(LdsDirection direction, unsigned bytes);

/// What an access takes beyond one without conflicts, in turns of the banks: in each phase, as many as the fullest bank
/// has different dwords, less one. Lanes that want the same dword share it, whatever bytes of it they want.
///
/// `addresses`: one byte address a lane, 64 of them. `lanes`: those that take part. `bytes`: 1 to 16, of a lane.
/// `banks`: of 4 bytes, at most maxLdsBanks.
uint32_t ldsConflictClocks(LdsDirection direction, unsigned bytes, std::span<const uint32_t> addresses, uint64_t lanes,
                           unsigned banks);

} // namespace nstf::support
