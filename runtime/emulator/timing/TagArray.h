// The tags of a set-associative cache with the least recently used line as victim.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace nstf::emulator::timing {

/// Several caches of one kind stand in one array, the caller counts sets through. A set lies in a piece, on cache lines
/// of its own: a model's speed is that of the host's cache. So neighbouring addresses should be in neighbouring sets.
class TagArray {
public:
  static constexpr uint32_t maxWays = 256;
  static constexpr uint32_t none = ~0u; ///< no way

  /// One set of the array.
  class Set {
  public:
    /// The way that holds line number `line` (below 2^32 - 1), or none.
    uint32_t find(uint64_t line) const;
    bool holds(uint32_t way, uint64_t line) const { return tags()[way] == tagOf(line); }
    /// The least recently used way; one that was dropped first.
    uint32_t victim() const { return order()[count - 1] ^ uint8_t(count - 1); }
    /// Makes it the most recently used.
    void use(uint32_t way);
    /// The same of the victim.
    void useVictim();
    /// Puts a line into the victim's way, which stays the next victim if the line is streaming.
    void fill(uint32_t way, uint64_t line, bool streaming = false) {
      const uint32_t tag = tagOf(line);
      tags()[way] = tag;
      base[way] = signatureOf(tag);
      *filled = 1;
      if (!streaming)
        useVictim();
    }
    void drop(uint32_t way);

    uint64_t lineAt(uint32_t way) const { return tags()[way] - 1; }
    /// The later of `now` and the time at which the line's data are there, to the clock.
    double whenReady(uint32_t way, double now) const {
      const uint32_t ahead = times()[way] - uint32_t(int64_t(now));
      return ahead < longestFlight ? std::max(now, double(int64_t(now) + ahead)) : now;
    }
    void setReady(uint32_t way, double time) { times()[way] = uint32_t(int64_t(time) + 1); }
    /// A bit for each sector: low half what is there, high half what memory doesn't have (Sectors.h).
    uint8_t &sectors(uint32_t way) { return base[2 * ways + way]; }

  private:
    friend class TagArray;
    static constexpr uint32_t longestFlight = 1 << 24; ///< clocks; times are held modulo 2^32
    Set(uint8_t *base, uint8_t *filled, uint32_t ways, uint32_t count)
        : base(base), filled(filled), ways(ways), count(count) {}
    void clear();

    static uint32_t tagOf(uint64_t line) { return uint32_t(line) + 1; }
    static uint8_t signatureOf(uint32_t tag) { return uint8_t(tag * 0x9E3779B1u >> 24); }
    // Behind one another: a byte of each tag's hash, the order, sectors, which a miss needs; tags, times.
    /// Ways from the most to the least recently used, each with its place's number xored: zeros are an order, too.
    uint8_t *order() const { return base + ways; }
    uint32_t *tags() const { return reinterpret_cast<uint32_t *>(base + 4 * ways); }
    uint32_t *times() const { return reinterpret_cast<uint32_t *>(base + 8 * ways); }
    static constexpr size_t bytesFor(uint32_t ways) { return 12 * ways; }

    uint8_t *base;
    uint8_t *filled;      ///< of its neighbourhood
    uint32_t ways, count; ///< rounded up to whole groups; those that are
  };

  /// At most maxWays.
  TagArray(uint32_t sets, uint32_t ways);

  Set operator[](uint32_t set) { return {blocks[set * blocksPerSet].bytes, &filled[set / neighbours], ways, count}; }
  /// Has the host fetch the set, which will be asked for soon.
  void prefetch(uint32_t set) const {
    for (const Block *block = blocks + set * blocksPerSet, *end = block + blocksPerSet; block < end; ++block)
      __builtin_prefetch(block, 1);
  }
  void clear(uint32_t firstSet, uint32_t count);

private:
  static constexpr uint32_t group = 16; ///< ways come in so many: as many bytes are looked at at once
  static constexpr uint32_t neighbours = 64;
  struct alignas(64) Block {
    uint8_t bytes[64];
  };
  /// A bit for each of a group's signatures that is the same.
  static uint32_t equal(const uint8_t *signatures, uint8_t wanted);

  uint32_t ways, count; ///< rounded up to whole groups; those that are
  size_t blocksPerSet;
  /// Zeros, which the host gives no memory for until a set is used.
  std::unique_ptr<void, decltype(&std::free)> memory;
  Block *blocks;
  std::vector<uint8_t> filled; ///< of so many neighbouring sets: whether anything may be there
};

inline uint32_t TagArray::equal(const uint8_t *signatures, uint8_t wanted) {
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

inline uint32_t TagArray::Set::find(uint64_t line) const {
  const uint32_t tag = tagOf(line);
  const uint8_t wanted = signatureOf(tag);
  uint32_t first = 0;
  do {
    for (uint32_t like = equal(base + first, wanted); like; like &= like - 1)
      if (const uint32_t way = first + uint32_t(std::countr_zero(like)); tags()[way] == tag)
        return way;
    first += group;
  } while (first < ways);
  return none;
}

inline void TagArray::Set::useVictim() {
#if defined(__SSE2__)
  if (count == ways) { // all places move on by one
    // Between a place's number and the one before it.
    alignas(16) static constexpr uint8_t between[group] = {0, 1, 3, 1, 7, 1, 3, 1, 15, 1, 3, 1, 7, 1, 3, 1};
    const __m128i change = _mm_load_si128(reinterpret_cast<const __m128i *>(between));
    uint32_t before = victim();
    uint8_t *const places = order();
    for (uint32_t first = 0; first < ways; first += group) {
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

inline void TagArray::Set::use(uint32_t way) {
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
    if (found) { // what comes behind it stays
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
