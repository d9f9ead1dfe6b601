// The tags of one set of a cache, and the LRU order of its ways.
#pragma once

#include <bit>
#include <cstdint>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace nstf::emulator::timing {

/// A view of one set in TagArray's memory. `signatures` has a byte for each way, followed by the ways in LRU order;
/// `tags` has the way's tags.
class TagSet {
public:
  static constexpr uint32_t none = ~0u; ///< no way
  static constexpr uint32_t group = 16; ///< ways are searched in groups of this size, a byte each

  /// `room`: `ways` rounded up to whole groups.
  TagSet(uint8_t *signatures, uint32_t *tags, uint32_t room, uint32_t ways)
      : signatures(signatures), tags(tags), room(room), ways(ways) {}

  /// The way that holds block `block` (below 2^32 - 1), or none.
  uint32_t find(uint64_t block) const;
  /// The least recently used way; a dropped way comes first.
  uint32_t victim() const { return order()[ways - 1] ^ uint8_t(ways - 1); }
  /// Makes it the most recently used.
  void use(uint32_t way);
  /// Stores a block in the victim's way; with `streaming`, the way stays the next victim.
  void fill(uint32_t way, uint64_t block, bool streaming = false) {
    const uint32_t tag = getTag(block);
    tags[way] = tag;
    signatures[way] = getSignature(tag);
    if (!streaming)
      useVictim();
  }
  /// Drops the line in a way and makes the way the next victim.
  void drop(uint32_t way);

  bool holdsAny(uint32_t way) const { return tags[way]; }
  uint64_t blockAt(uint32_t way) const { return tags[way] - 1; }

private:
  static uint32_t getTag(uint64_t block) { return uint32_t(block) + 1; }
  static uint8_t getSignature(uint32_t tag) { return uint8_t(tag * 0x9E3779B1u >> 24); }
  /// One bit for each of a group's signatures that equals `wanted`.
  static uint32_t equal(const uint8_t *signatures, uint8_t wanted);
  /// Ways from the most to the least recently used, each xored with its position, so that zeroed memory is a valid
  /// order.
  uint8_t *order() const { return signatures + room; }
  void useVictim();

  uint8_t *signatures;
  uint32_t *tags;
  uint32_t room, ways;
};

inline uint32_t TagSet::equal(const uint8_t *signatures, uint8_t wanted) {
#if defined(__SSE2__)
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(signatures));
  return uint32_t(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(char(wanted)))));
#else
  uint32_t same = 0;
  for (uint32_t i = 0; i < group; ++i)
    same |= uint32_t(signatures[i] == wanted) << i;
  return same;
#endif
}

inline uint32_t TagSet::find(uint64_t block) const {
  const uint32_t tag = getTag(block);
  const uint8_t wanted = getSignature(tag);
  uint32_t first = 0;
  do {
    for (uint32_t like = equal(signatures + first, wanted); like; like &= like - 1)
      if (const uint32_t way = first + uint32_t(std::countr_zero(like)); tags[way] == tag)
        return way;
    first += group;
  } while (first < room);
  return none;
}

inline void TagSet::useVictim() {
#if defined(__SSE2__)
  if (ways == room) { // all positions move by one
    // Each position xor the previous one.
    alignas(16) static constexpr uint8_t between[group] = {0, 1, 3, 1, 7, 1, 3, 1, 15, 1, 3, 1, 7, 1, 3, 1};
    const __m128i change = _mm_load_si128(reinterpret_cast<const __m128i *>(between));
    uint32_t before = victim();
    uint8_t *const places = order();
    for (uint32_t first = 0; first < room; first += group) {
      __m128i *const at = reinterpret_cast<__m128i *>(places + first);
      const __m128i inOrder = _mm_loadu_si128(at);
      const __m128i moved = _mm_or_si128(_mm_slli_si128(inOrder, 1), _mm_cvtsi32_si128(int(before ^ first)));
      before = places[first + group - 1] ^ (first + group - 1);
      _mm_storeu_si128(at, _mm_xor_si128(moved, change));
    }
    return;
  }
#endif
  use(victim());
}

inline void TagSet::use(uint32_t way) {
  uint8_t *const places = order();
  if (places[0] == way)
    return;
#if defined(__SSE2__)
  alignas(16) static constexpr uint8_t numbers[group] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  alignas(16) static constexpr int8_t behind[2 * group] = {
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
  const __m128i wanted = _mm_set1_epi8(char(way));
  __m128i number = _mm_load_si128(reinterpret_cast<const __m128i *>(numbers));
  __m128i before = _mm_cvtsi32_si128(int(way));
  for (__m128i *at = reinterpret_cast<__m128i *>(places);; ++at) {
    const __m128i inOrder = _mm_xor_si128(_mm_loadu_si128(at), number);
    const __m128i moved = _mm_or_si128(_mm_slli_si128(inOrder, 1), before);
    const uint32_t found = uint32_t(_mm_movemask_epi8(_mm_cmpeq_epi8(inOrder, wanted)));
    if (found) { // positions after the found one stay
      const __m128i stays =
          _mm_loadu_si128(reinterpret_cast<const __m128i *>(behind + (group - 1) - std::countr_zero(found)));
      const __m128i result = _mm_or_si128(_mm_and_si128(stays, inOrder), _mm_andnot_si128(stays, moved));
      _mm_storeu_si128(at, _mm_xor_si128(result, number));
      return;
    }
    _mm_storeu_si128(at, _mm_xor_si128(moved, number));
    before = _mm_srli_si128(inOrder, group - 1);
    number = _mm_add_epi8(number, _mm_set1_epi8(group));
  }
#else
  uint8_t moved = uint8_t(way);
  for (uint32_t place = 0;; ++place) {
    const uint8_t here = places[place] ^ uint8_t(place);
    places[place] = moved ^ uint8_t(place);
    if (here == way)
      return;
    moved = here;
  }
#endif
}

} // namespace nstf::emulator::timing
