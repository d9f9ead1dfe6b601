// The tags of a set-associative cache with the least recently used line as victim.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
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

private:
  struct Order {
    uint8_t first, last; ///< ways: the most and the least recently used
  };

public:
  /// One set of the array.
  class Set {
  public:
    /// The way that holds line number `line` (below 2^32 - 1), or none.
    uint32_t find(uint64_t line) const;
    /// The least recently used way; one that holds nothing first.
    uint32_t victim() {
      if (isUntouched())
        begin();
      return order->last;
    }
    /// Makes it the most recently used.
    void use(uint32_t way);
    /// Puts a line into the victim's way, which stays the next victim if the line is streaming.
    void fill(uint32_t way, uint64_t line, bool streaming = false) {
      tags()[way] = uint32_t(line) + 1;
      base[way] = signatureOf(uint32_t(line) + 1);
      if (!streaming)
        use(way);
    }
    void drop(uint32_t way);
    void clear();

    uint64_t lineAt(uint32_t way) const { return tags()[way] - 1; }
    /// The later of `now` and the time at which the line's data are there, to the clock.
    double whenReady(uint32_t way, double now) const {
      const uint32_t ahead = times()[way] - uint32_t(int64_t(now));
      return ahead < longestFlight ? std::max(now, double(int64_t(now) + ahead)) : now;
    }
    void setReady(uint32_t way, double time) { times()[way] = uint32_t(int64_t(time) + 1); }
    /// A bit for each sector: low half what is there, high half what memory doesn't have (Sectors.h).
    uint8_t &sectors(uint32_t way) { return base[3 * ways + way]; }

  private:
    friend class TagArray;
    static constexpr uint32_t longestFlight = 1 << 24; ///< clocks; times are held modulo 2^32
    struct Neighbours {
      uint8_t newer, older;
    };
    Set(uint8_t *base, Order *order, uint32_t ways, uint32_t count)
        : base(base), order(order), ways(ways), count(count) {}
    /// Nothing was ever put into it.
    bool isUntouched() const { return order->first == order->last && count > 1; }
    void begin();

    // Behind one another: a byte of each tag's hash, neighbours, sectors, which a miss needs; tags, times.
    static uint8_t signatureOf(uint32_t tag) { return uint8_t(tag * 0x9E3779B1u >> 24); }
    Neighbours *links() const { return reinterpret_cast<Neighbours *>(base + ways); }
    uint32_t *tags() const { return reinterpret_cast<uint32_t *>(base + 4 * ways); }
    uint32_t *times() const { return reinterpret_cast<uint32_t *>(base + 8 * ways); }
    static constexpr size_t bytesFor(uint32_t ways) { return 12 * ways; }
    void unlink(uint32_t way);

    uint8_t *base;
    Order *order;
    uint32_t ways, count; ///< rounded up to whole groups; those that are
  };

  /// At most maxWays.
  TagArray(uint32_t sets, uint32_t ways);

  Set operator[](uint32_t set) { return {blocks[set * blocksPerSet].bytes, &orders[set], ways, count}; }
  /// Has the host fetch the set, which will be asked for soon.
  void prefetch(uint32_t set) const {
    for (const Block *block = blocks + set * blocksPerSet, *end = block + blocksPerSet; block < end; ++block)
      __builtin_prefetch(block, 1);
  }
  void clear(uint32_t firstSet, uint32_t count);

private:
  static constexpr uint32_t group = 16; ///< ways come in so many: as many signatures are compared at once
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
  std::vector<Order> orders; ///< by set
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
  const uint32_t tag = uint32_t(line) + 1;
  const uint8_t wanted = signatureOf(tag);
  for (uint32_t first = 0; first < ways; first += group)
    for (uint32_t like = equal(base + first, wanted); like; like &= like - 1)
      if (const uint32_t way = first + uint32_t(std::countr_zero(like)); tags()[way] == tag)
        return way;
  return none;
}

inline void TagArray::Set::unlink(uint32_t way) {
  Order &ends = *order;
  Neighbours *link = links(), between = link[way];
  if (ends.first == way)
    ends.first = between.older;
  else
    link[between.newer].older = between.older;
  if (ends.last == way)
    ends.last = between.newer;
  else
    link[between.older].newer = between.newer;
}

inline void TagArray::Set::use(uint32_t way) {
  Order &ends = *order;
  if (ends.first == way)
    return;
  unlink(way);
  links()[way].older = ends.first;
  links()[ends.first].newer = uint8_t(way);
  ends.first = uint8_t(way);
}

} // namespace nstf::emulator::timing
