// The tags of a set-associative cache with the least recently used line as victim.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nstf::emulator::timing {

/// Several caches of one kind stand in one array, the caller counts sets through. A set lies in a piece, on cache lines
/// of its own: a model's speed is that of the host's cache. So neighbouring addresses should be in neighbouring sets.
class TagArray {
public:
  static constexpr uint32_t maxWays = 256;
  static constexpr uint32_t none = ~0u; ///< no way

  /// At most maxWays.
  TagArray(uint32_t sets, uint32_t ways);

  /// The way that holds line number `line` (below 2^32 - 1), or none.
  uint32_t find(uint32_t set, uint64_t line) const;
  /// Has the host fetch the set's tags, which will be asked for soon.
  void prefetch(uint32_t set) const {
    for (uint32_t word = 0; word < wordsPerSet; word += 16)
      __builtin_prefetch(words.data() + size_t(set) * wordsPerSet + word, 1);
  }
  /// The least recently used way; one that holds nothing first.
  uint32_t victim(uint32_t set) const { return order(set).last; }
  /// Makes it the most recently used.
  void use(uint32_t set, uint32_t way);
  /// Puts a line into the victim's way, which stays the next victim if the line is streaming.
  void fill(uint32_t set, uint32_t way, uint64_t line, bool streaming = false) {
    tags(set)[way] = uint32_t(line) + 1;
    signatures(set)[way] = signatureOf(uint32_t(line) + 1);
    if (!streaming)
      use(set, way);
  }
  void drop(uint32_t set, uint32_t way);
  void dropSets(uint32_t first, uint32_t count);

  bool holds(uint32_t set, uint32_t way) const { return tags(set)[way] != 0; }
  uint64_t lineAt(uint32_t set, uint32_t way) const { return tags(set)[way] - 1; }

  /// The later of `now` and the time at which the line's data are there, to the clock.
  double whenReady(uint32_t set, uint32_t way, double now) const {
    uint32_t ahead = times(set)[way] - uint32_t(uint64_t(now));
    return ahead < longestFlight ? std::max(now, double(uint64_t(now) + ahead)) : now;
  }
  void setReady(uint32_t set, uint32_t way, double time) { times(set)[way] = uint32_t(uint64_t(time) + 1); }

  /// A bit for each sector: low half what is there, high half what memory doesn't have (Sectors.h).
  uint8_t &sectors(uint32_t set, uint32_t way) { return bytes(set)[way]; }

private:
  static constexpr uint32_t group = 8;               ///< ways come in so many: as many signatures are compared at once
  static constexpr uint32_t longestFlight = 1 << 24; ///< clocks; times are held modulo 2^32
  struct Order {
    uint8_t first, last; ///< ways: the most and the least recently used
  };
  struct Neighbours {
    uint8_t newer, older;
  };
  // A set: signatures (a byte of each tag's hash), tags, times, sectors, neighbours, order
  static uint8_t signatureOf(uint32_t tag) { return uint8_t(tag * 0x9E3779B1u >> 24); }
  uint8_t *signatures(uint32_t set) { return reinterpret_cast<uint8_t *>(words.data() + size_t(set) * wordsPerSet); }
  const uint8_t *signatures(uint32_t set) const {
    return reinterpret_cast<const uint8_t *>(words.data() + size_t(set) * wordsPerSet);
  }
  uint32_t *tags(uint32_t set) { return words.data() + size_t(set) * wordsPerSet + ways / 4; }
  const uint32_t *tags(uint32_t set) const { return words.data() + size_t(set) * wordsPerSet + ways / 4; }
  uint32_t *times(uint32_t set) { return tags(set) + ways; }
  const uint32_t *times(uint32_t set) const { return tags(set) + ways; }
  uint8_t *bytes(uint32_t set) { return reinterpret_cast<uint8_t *>(tags(set) + 2 * ways); }
  const uint8_t *bytes(uint32_t set) const { return reinterpret_cast<const uint8_t *>(tags(set) + 2 * ways); }
  Neighbours *links(uint32_t set) { return reinterpret_cast<Neighbours *>(bytes(set) + ways); }
  Order &order(uint32_t set) { return *reinterpret_cast<Order *>(bytes(set) + 3 * ways); }
  const Order &order(uint32_t set) const { return *reinterpret_cast<const Order *>(bytes(set) + 3 * ways); }
  void unlink(uint32_t set, uint8_t way);

  uint32_t ways; ///< rounded up to whole groups; those beyond the cache's are never filled
  uint32_t wordsPerSet;
  std::vector<uint32_t> words;
};

} // namespace nstf::emulator::timing
