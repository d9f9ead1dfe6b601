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
#include <vector>

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

/// An access in 64 bits: workgroup, wave, step, instruction, and whether it was atomic (a plain store: whether it may
/// have been).
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
  /// The access as one that is not atomic.
  Epoch plain() const {
    Epoch epoch = *this;
    epoch.word &= ~uint64_t(1);
    return epoch;
  }
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

/// The accesses that a wave has seen.
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

/// What a wave passes on by an atomic store or operation; its own entries of the clocks stand beside it.
struct Release {
  uint32_t group;
  unsigned wave;
  GroupClock clock; ///< of the own workgroup
  std::shared_ptr<const ForeignClocks> others;
  bool isDeviceWide;
  GroupClock shown; ///< of `clock`: stores written back, visible to other workgroups
  std::shared_ptr<const ForeignClocks> shownOthers;
  bool operator==(const Release &) const = default;
};

/// A location by which atomic operations order waves: the accesses released there.
struct SyncLocation {
  ForeignClocks released;
  ForeignClocks shown; ///< of `released`: stores written back, visible to other workgroups
  const ForeignClocks *mergedLast = nullptr, *shownLast = nullptr; ///< tables that were joined last, to skip repeats

  /// `step`: the last one of the releasing wave's that the release includes.
  void add(const Release &release, uint32_t step) {
    addClock(released, release, release.clock, step);
    addOthers(released, release.others, mergedLast);
    if (!release.isDeviceWide)
      return;
    addClock(shown, release, release.shown, std::min(step, release.shown[release.wave]));
    addOthers(shown, release.shownOthers, shownLast);
  }

private:
  static void addClock(ForeignClocks &to, const Release &release, GroupClock clock, uint32_t step) {
    clock[release.wave] = step;
    join(to[release.group], clock);
  }
  static void addOthers(ForeignClocks &to, const std::shared_ptr<const ForeignClocks> &from,
                        const ForeignClocks *&last) {
    if (!from || last == from.get())
      return;
    for (const auto &[number, clock] : *from)
      join(to[number], clock);
    last = from.get();
  }
};

/// What the stores of a wave release, from each step on from which they release something else.
struct ReleaseLog {
  struct Entry {
    uint32_t first; ///< step
    uint32_t step;  ///< last one that is released
    std::shared_ptr<const Release> release;
  };
  std::vector<Entry> entries;

  /// The entry of a store at `step`; nullptr if there is none.
  const Entry *find(uint32_t step) const {
    auto next = std::ranges::upper_bound(entries, step, {}, &Entry::first);
    return next == entries.begin() ? nullptr : &*std::prev(next);
  }
};

} // namespace nstf::emulator::checks
