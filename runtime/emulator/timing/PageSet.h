// Pages of the synthetic physical memory that a launch touched, and whether a cache held them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nstf::emulator::timing {

/// Bytes [begin, end) of the synthetic physical memory.
struct PhysicalRange {
  uint64_t begin = 0, end = 0;
  uint64_t size() const { return end - begin; }
};

/// A set of pages, made for asking after the same ones over and over.
class PageSet {
public:
  static constexpr uint64_t pageBytes = 4096;
  /// Addresses from here on belong to what lives as long as a launch only (arguments, scratch), and aren't kept.
  static constexpr uint64_t end = uint64_t(1) << 40;

  /// Whether there is no need to add it.
  bool has(uint64_t address) const {
    const uint64_t page = address / pageBytes;
    return page / 64 < words.size() ? words[page / 64].touched >> page % 64 & 1 : address >= end;
  }
  /// `held`: by a cache, before. Below `end`.
  void add(uint64_t address, bool held) {
    const uint64_t page = address / pageBytes;
    if (page / 64 >= words.size())
      words.resize(page / 64 + page / 128 + 64);
    words[page / 64].touched |= uint64_t(1) << page % 64;
    words[page / 64].held |= uint64_t(held) << page % 64;
  }
  void clear() { words.clear(); }

  /// Calls function(range, held) for neighbouring pages that are held or not, together and in order.
  template <typename Function> void forEachRange(Function &&function) const {
    PhysicalRange range;
    bool isHeld = false;
    for (size_t i = 0; i < words.size(); ++i)
      for (uint64_t left = words[i].touched; left; left &= left - 1) {
        const unsigned bit = unsigned(std::countr_zero(left));
        const uint64_t begin = (i * 64 + bit) * pageBytes;
        const bool held = words[i].held >> bit & 1;
        if (range.end != begin || isHeld != held) {
          if (range.size())
            function(range, isHeld);
          range.begin = begin;
          isHeld = held;
        }
        range.end = begin + pageBytes;
      }
    if (range.size())
      function(range, isHeld);
  }

private:
  struct Word {
    uint64_t touched = 0, held = 0;
  };
  std::vector<Word> words;
};

} // namespace nstf::emulator::timing
