// Pages of the synthetic physical memory that a launch touched, and which caches held them before.
#pragma once

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

  /// Of what the caches have of a page.
  struct Held {
    bool mall = false;
    uint8_t l2s = 0; ///< SnoopFilter::Mask
  };

  /// Whether there is no need to add it.
  bool has(uint64_t address) const {
    const uint64_t page = address / pageBytes;
    return page < pages.size() ? pages[page].touched : address >= end;
  }
  /// `held`: before. Below `end`.
  void add(uint64_t address, Held held) {
    const uint64_t page = address / pageBytes;
    if (page >= pages.size())
      pages.resize(page + page / 2 + 64);
    pages[page] = {true, held};
  }
  void clear() { pages.clear(); }
  Held heldBefore(uint64_t address) const { return pages[address / pageBytes].held; }

  /// Calls function(range) for neighbouring pages together, in order.
  template <typename Function> void forEachRange(Function &&function) const {
    for (size_t page = 0; page < pages.size(); ++page) {
      if (!pages[page].touched)
        continue;
      const size_t first = page;
      while (page < pages.size() && pages[page].touched)
        ++page;
      function(PhysicalRange{first * pageBytes, page * pageBytes});
    }
  }

private:
  struct Page {
    bool touched = false;
    Held held;
  };
  std::vector<Page> pages;
};

} // namespace nstf::emulator::timing
