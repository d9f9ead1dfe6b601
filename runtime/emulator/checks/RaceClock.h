// What a wave has seen of the others.
//
// Vector clocks: each wave counts its own steps (from one release to the next) and knows up to which step it has seen
// each other wave. Waves of the own workgroup have a place each; of other workgroups only those are kept that something
// was acquired from, by workgroup, in a table shared between waves until one of them learns more.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace nstf::emulator::checks {

/// A workgroup has at most 16 waves (1024 work-items).
constexpr unsigned wavesOfGroup = 16;
using GroupClock = std::array<uint32_t, wavesOfGroup>;
using ForeignClocks = std::unordered_map<uint32_t, GroupClock>; ///< by workgroup

inline bool join(GroupClock &to, const GroupClock &from) {
  bool changed = false;
  for (unsigned i = 0; i < wavesOfGroup; ++i) {
    changed |= from[i] > to[i];
    to[i] = std::max(to[i], from[i]);
  }
  return changed;
}

/// Who accessed something, when, by which instruction, and whether atomically; in 64 bits.
struct Epoch {
  static constexpr uint32_t groupMask = (1u << 20) - 1, lastStep = (1u << 22) - 1, noInstruction = (1u << 17) - 1;
  uint64_t word = 0; ///< 0: nobody
  Epoch() = default;
  Epoch(uint32_t group, unsigned wave, uint32_t step, uint32_t instruction, bool atomic)
      : word(uint64_t(group & groupMask) << 44 | uint64_t(wave) << 40 | uint64_t(std::min(step, lastStep)) << 18 |
             uint64_t(std::min(instruction, noInstruction)) << 1 | uint64_t(atomic)) {}
  explicit operator bool() const { return word != 0; }
  uint32_t group() const { return uint32_t(word >> 44); }
  unsigned wave() const { return word >> 40 & 15; }
  uint32_t step() const { return word >> 18 & lastStep; }
  uint32_t instruction() const { return word >> 1 & noInstruction; }
  bool atomic() const { return word & 1; }
};

/// Whether what happened at `epoch`, in another workgroup, is in `clocks`.
inline bool covers(const std::shared_ptr<const ForeignClocks> &clocks, Epoch epoch) {
  if (!clocks)
    return false;
  auto found = clocks->find(epoch.group());
  return found != clocks->end() && epoch.step() <= found->second[epoch.wave()];
}

/// `to` with what `from` has more; they are shared until they differ.
inline void join(std::shared_ptr<const ForeignClocks> &to, const ForeignClocks &from) {
  std::shared_ptr<ForeignClocks> more;
  for (const auto &[number, clock] : from) {
    const ForeignClocks *known = more ? more.get() : to.get();
    if (known)
      if (auto found = known->find(number); found != known->end()) {
        GroupClock both = found->second;
        if (!join(both, clock))
          continue;
      }
    if (!more)
      more = to ? std::make_shared<ForeignClocks>(*to) : std::make_shared<ForeignClocks>();
    join((*more)[number], clock);
  }
  if (more)
    to = more;
}

/// What a wave knows; also what a location of synchronisation hands on.
struct Knowledge {
  GroupClock group = {};                       ///< of the own workgroup
  std::shared_ptr<const ForeignClocks> others; ///< null: of no other

  /// Whether what happened at `epoch` happened before now.
  bool covers(Epoch epoch, uint32_t ownGroup) const {
    if (epoch.group() == (ownGroup & Epoch::groupMask))
      return epoch.step() <= group[epoch.wave()];
    return checks::covers(others, epoch);
  }
};

/// A location that atomic operations order waves through: what was released there.
struct SyncLocation {
  ForeignClocks released;
  ForeignClocks shown; ///< of that, what was written back for other workgroups to see
  const ForeignClocks *mergedLast = nullptr, *shownLast = nullptr; ///< joined already
};

} // namespace nstf::emulator::checks
