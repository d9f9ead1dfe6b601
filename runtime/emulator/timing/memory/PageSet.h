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

/// A set of pages, optimised for repeated queries of the same pages.
class PageSet {
public:
  static constexpr uint64_t pageBytes = 4096;
  /// Addresses from here on belong to data that lives only as long as a launch (arguments, scratch); they are not
  /// recorded.
  static constexpr uint64_t end = uint64_t(1) << 40;

  /// The caches that hold a page.
  struct Held {
    bool mall = false;
    uint8_t l2s = 0; ///< SnoopFilter::Mask
  };

  /// Whether the page need not be added.
  bool has(uint64_t address) const {
    const uint64_t page = address / pageBytes;
    return page < pages.size() ? pages[page].touched : address >= end;
  }
  /// `held`: the state before the launch. Precondition: the address is below `end`.
  void add(uint64_t address, Held held) {
    const uint64_t page = address / pageBytes;
    if (page >= pages.size())
      pages.resize(page + page / 2 + 64);
    pages[page] = {true, held};
  }
  void clear() { pages.clear(); }
  Held heldBefore(uint64_t address) const { return pages[address / pageBytes].held; }

  /// Calls function(range) for each run of adjacent pages, in order.
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
