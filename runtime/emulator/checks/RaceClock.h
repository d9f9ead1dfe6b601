// What a wave has seen of other waves.
//
// Vector clocks: each wave counts its own steps (a step lasts from one release to the next) and records, for each other
// wave, the last step that it has seen. Each wave of the own workgroup has an entry. Of other workgroups, only those
// from which something was acquired have one, in a table that waves share until one of them learns more.
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

/// An access in 64 bits: workgroup, wave, step, instruction, and whether it was atomic.
struct Epoch {
  static constexpr uint32_t groupMask = (1u << 20) - 1, lastStep = (1u << 22) - 1, noInstruction = (1u << 17) - 1;
  uint64_t word = 0; ///< 0: none
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

/// Whether `clocks` include `epoch`, which is of another workgroup.
inline bool covers(const std::shared_ptr<const ForeignClocks> &clocks, Epoch epoch) {
  if (!clocks)
    return false;
  auto found = clocks->find(epoch.group());
  return found != clocks->end() && epoch.step() <= found->second[epoch.wave()];
}

/// Adds the entries of `from` to `to`. The table is copied only if it changes.
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

/// The accesses that a wave has seen; also those that a synchronisation location passes on.
struct Knowledge {
  GroupClock group = {};                       ///< of the own workgroup
  std::shared_ptr<const ForeignClocks> others; ///< null: none

  /// Whether the access at `epoch` happened before now.
  bool covers(Epoch epoch, uint32_t ownGroup) const {
    if (epoch.group() == (ownGroup & Epoch::groupMask))
      return epoch.step() <= group[epoch.wave()];
    return checks::covers(others, epoch);
  }
};

/// A location by which atomic operations order waves: the accesses released there.
struct SyncLocation {
  ForeignClocks released;
  ForeignClocks shown; ///< of `released`: stores written back, visible to other workgroups
  const ForeignClocks *mergedLast = nullptr, *shownLast = nullptr; ///< tables that were joined last, to skip repeats
};

} // namespace nstf::emulator::checks
