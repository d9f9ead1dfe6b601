// The tags of set-associative caches with LRU replacement.
//
// Sets are grouped in bundles: a bundle has one set for each line of a block. Streams access whole blocks, so the sets
// of a bundle mostly hold the same blocks in the same ways, in the same LRU order. While they do, tags and order are
// stored once, and one lookup serves all lines of a block. The first access to a part of a block separates the sets.
#pragma once

#include "runtime/emulator/timing/chip/CacheLimits.h"
#include "runtime/emulator/timing/memory/ReadyTime.h"
#include "runtime/emulator/timing/memory/TagSet.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace nstf::emulator::timing {

/// One array holds several caches of a kind; the caller numbers bundles over all of them. A bundle's data is contiguous
/// and on cache lines of its own, as the speed of the model is that of the host's cache. Adjacent blocks should
/// therefore be in adjacent bundles.
class TagArray {
public:
  static constexpr uint32_t maxWays = maxCacheWays, maxMembers = 8;
  static constexpr uint32_t allOfMost = (1u << maxMembers) - 1; ///< all members of a bundle with maxMembers
  static constexpr uint32_t none = TagSet::none;                ///< no way
  /// In the byte of a line: sectors that memory does not have (Sectors.h).
  static constexpr uint8_t changedSectors = 0xf0;

  /// Result of looking up lines of a block, one for each requested member, in their sets.
  struct Found {
    uint8_t held;     ///< members whose lines are held, one bit each
    uint8_t complete; ///< of these, lines with all wanted sectors
    std::array<uint8_t, maxMembers> ways;
    uint64_t sectors; ///< one byte for each member: the sectors of its line or, if not held, of the evicted line
    /// By member, if its line is not held: the block of the evicted line, if that line was changed.
    std::array<uint32_t, maxMembers> leaves;

    uint8_t getSectors(uint32_t member) const { return uint8_t(sectors >> 8 * member); }
    /// When the data of a line arrives. Precondition: the line is held or was filled.
    ReadyTime &ready(uint32_t member) const { return times[uint32_t(ways[member]) << memberShift | member]; }

  private:
    friend class TagArray;
    uint32_t memberShift;
    ReadyTime *times;
  };
  /// The same byte for each member.
  static uint64_t forAll(uint8_t sectors) { return sectors * uint64_t(0x0101010101010101); }

  /// 0xff for each of the members.
  static uint64_t getBytes(uint32_t members) {
    const uint64_t bits = forAll(uint8_t(members)) & 0x8040201008040201;
    return ((bits + forAll(0x7f)) >> 7 & forAll(1)) * 0xff;
  }
  /// The members whose byte is not 0.
  static uint32_t getMembers(uint64_t bytes) {
    const uint64_t any = ((bytes & forAll(0x7f)) + forAll(0x7f) | bytes) & forAll(0x80);
    return uint32_t((any >> 7) * 0x0102040810204080 >> 56);
  }
  /// Exchanges the bytes of members m and m xor `flip`.
  static uint64_t exchange(uint64_t bytes, uint32_t flip) {
    if (flip & 1)
      bytes = (bytes & 0x00ff00ff00ff00ff) << 8 | (bytes >> 8 & 0x00ff00ff00ff00ff);
    if (flip & 2)
      bytes = (bytes & 0x0000ffff0000ffff) << 16 | (bytes >> 16 & 0x0000ffff0000ffff);
    return flip & 4 ? bytes << 32 | bytes >> 32 : bytes;
  }

  /// One bundle of the array.
  class Bundle {
  public:
    /// The way in which a member holds a line of the block, or none.
    uint32_t find(uint32_t member, uint64_t block) const { return set(member).find(block); }
    /// Looks up a block for `members`, one bit each. Lines that are held with all sectors in `wanted` become the most
    /// recently used of their sets.
    void use(Found &found, uint32_t members, uint64_t block, uint64_t wanted = 0);
    /// Makes lines that were found or filled the most recently used.
    void useAgain(uint32_t members, const Found &found);
    /// Fills lines that were not found into the victims' ways; a streaming line stays the next victim.
    void fill(Found &found, uint32_t members, uint64_t block, bool streaming = false);
    /// Sets the sectors of lines that were found or filled, one byte for each member.
    void setSectors(uint32_t members, const Found &found, uint64_t sectors);
    void drop(uint32_t member, uint32_t way);
    /// Drops a block's lines; of changed lines only the unchanged sectors. Returns the members with changed lines.
    uint32_t dropUnchanged(uint32_t members, uint64_t block);

    bool holdsAny(uint32_t member, uint32_t way) const { return set(member).holdsAny(way); }
    uint64_t blockAt(uint32_t member, uint32_t way) const { return set(member).blockAt(way); }
    /// The sectors of all members, one byte each.
    uint64_t getSectors(uint32_t way) const {
      uint64_t all;
      std::memcpy(&all, &sectors(0, way), sizeof all); // reads more if there are fewer members
      return all & array.allBytes;
    }
    /// Low half: present sectors; high half: sectors that memory does not have (Sectors.h).
    uint8_t &sectors(uint32_t member, uint32_t way) const {
      return base[array.sectorsAt + (way << array.memberShift | member)];
    }

  private:
    friend class TagArray;
    Bundle(const TagArray &array, uint8_t *base, uint8_t &state) : array(array), base(base), state(state) {}
    /// The set of a member: its own if the sets are separate, else the common one.
    TagSet set(uint32_t member) const { return own(state == separate ? member : 0); }
    TagSet own(uint32_t member) const {
      return {base + member * 2 * array.room,
              reinterpret_cast<uint32_t *>(base + array.tagsAt + member * 4 * array.room), array.room, array.ways};
    }
    bool march(uint32_t members) const { return state != separate && members == array.allMembers; }
    void part();
    void clear();

    const TagArray &array;
    uint8_t *base;
    uint8_t &state;
  };

  /// Preconditions: at most maxWays ways; at most maxMembers members, a power of two.
  TagArray(uint32_t bundles, uint32_t ways, uint32_t members = 1);

  Bundle operator[](uint32_t bundle) { return {*this, blocks[bundle * blocksPerBundle].bytes, states[bundle]}; }
  /// Prefetches on the host the data that an access of a member looks up.
  void prefetch(uint32_t bundle, uint32_t member) const {
    const uint8_t *base = blocks[bundle * blocksPerBundle].bytes;
    const uint8_t *set = base + (states[bundle] == separate ? member * 2 * room : 0);
    for (uint32_t at = 0; at < 2 * room; at += sizeof(Block))
      __builtin_prefetch(set + at, 1);
    for (uint32_t at = sectorsAt / sizeof(Block) * sizeof(Block); at < timesAt; at += sizeof(Block))
      __builtin_prefetch(base + at, 1);
  }
  void clear(uint32_t firstBundle, uint32_t count);

private:
  /// State of a bundle: no lines; all sets equal; separate sets.
  enum State : uint8_t { empty, inStep, separate };
  struct alignas(64) Block {
    uint8_t bytes[64];
  };

  uint32_t room, ways; ///< ways rounded up to whole groups; ways
  uint32_t memberShift, allMembers;
  uint64_t allBytes;
  // Layout of a bundle: for each set its signatures and order, for each set its tags, and for each way the sectors and
  // times of all sets.
  uint32_t tagsAt, sectorsAt, timesAt;
  size_t blocksPerBundle;
  /// Zeroed memory; the host allocates pages when a bundle is first used.
  std::unique_ptr<void, decltype(&std::free)> memory;
  Block *blocks;
  std::vector<uint8_t> states;
};

inline void TagArray::Bundle::use(Found &found, uint32_t members, uint64_t block, uint64_t wanted) {
  found.held = found.complete = 0;
  found.sectors = 0;
  found.memberShift = array.memberShift;
  found.times = reinterpret_cast<ReadyTime *>(base + array.timesAt);
  if (state == empty)
    return;
  if (march(members)) {
    TagSet all = own(0);
    const uint32_t way = all.find(block);
    if (way == none)
      return;
    std::memset(found.ways.data(), int(way), maxMembers);
    __builtin_prefetch(&found.ready(0), 1);
    found.sectors = getSectors(way);
    const uint64_t missing = ~found.sectors & wanted & array.allBytes;
    // A zero byte: a line with no missing sector.
    const bool areAllAlike = !missing || !((missing - forAll(1)) & ~missing & forAll(0x80) & array.allBytes);
    if (areAllAlike) {
      found.held = uint8_t(members);
      if (!missing) {
        found.complete = uint8_t(members);
        all.use(way);
      }
      return;
    }
  }
  part();
  for (uint32_t left = members; left; left &= left - 1) {
    const uint32_t member = uint32_t(std::countr_zero(left));
    TagSet set = own(member);
    const uint32_t way = set.find(block);
    if (way == none)
      continue;
    found.held |= uint8_t(1u << member);
    found.ways[member] = uint8_t(way);
    __builtin_prefetch(&found.ready(member), 1);
    const uint8_t there = sectors(member, way);
    found.sectors |= uint64_t(there) << 8 * member;
    if (uint8_t(~there & wanted >> 8 * member))
      continue;
    found.complete |= uint8_t(1u << member);
    set.use(way);
  }
}

inline void TagArray::Bundle::fill(Found &found, uint32_t members, uint64_t block, bool streaming) {
  if (state == empty)
    state = inStep;
  if (march(members)) {
    TagSet all = own(0);
    const uint32_t way = all.victim();
    std::memset(found.ways.data(), int(way), maxMembers);
    __builtin_prefetch(&found.ready(0), 1);
    found.sectors = getSectors(way);
    if (found.sectors & forAll(changedSectors))
      found.leaves.fill(uint32_t(all.blockAt(way)));
    all.fill(way, block, streaming);
    return;
  }
  part();
  for (uint32_t left = members; left; left &= left - 1) {
    const uint32_t member = uint32_t(std::countr_zero(left));
    TagSet set = own(member);
    const uint32_t way = set.victim();
    found.ways[member] = uint8_t(way);
    __builtin_prefetch(&found.ready(member), 1);
    found.sectors |= uint64_t(sectors(member, way)) << 8 * member;
    if (sectors(member, way) & changedSectors)
      found.leaves[member] = uint32_t(set.blockAt(way));
    set.fill(way, block, streaming);
  }
}

inline void TagArray::Bundle::setSectors(uint32_t members, const Found &found, uint64_t all) {
  if (members == 0xff && march(members)) {
    std::memcpy(&sectors(0, found.ways[0]), &all, sizeof all);
    return;
  }
  for (uint32_t left = members; left; left &= left - 1) {
    const uint32_t member = uint32_t(std::countr_zero(left));
    sectors(member, found.ways[member]) = uint8_t(all >> 8 * member);
  }
}

} // namespace nstf::emulator::timing
