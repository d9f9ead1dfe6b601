// The last accesses of each place in memory.
//
// Each dword has its last plain write, its last atomic write and two reads since (the oldest that is not superseded,
// and the newest). A plain write of an atomic one's form becomes an atomic write when a coherent load reads it. This
// follows Flanagan and Freund, "FastTrack: efficient and precise dynamic race detection" (PLDI 2009), with two readers
// instead of all, so that data which every workgroup reads costs no more than other data. Once only some bytes of a
// dword are accessed, it has one entry for each byte.
#pragma once

#include "runtime/emulator/checks/RaceClock.h"

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

namespace nstf::emulator::checks {

struct RaceCell {
  Epoch write, atomic, firstRead, lastRead;
  static constexpr uint64_t splitMark = ~uint64_t(0);
  /// Whether a coherent load, or an atomic operation, has read the place since the last write.
  bool polled() const { return firstRead.atomic() || lastRead.atomic(); }
  bool split() const { return write.word == splitMark; } ///< whether each byte has its own cell
};

/// Cells by dword number.
class RaceCells {
public:
  /// Calls `function(cell, first byte's address, bytes)` for the cells of [address, address + bytes).
  template <typename F> void forEach(uint64_t address, unsigned bytes, F function) {
    while (bytes) {
      unsigned in = address % 4, count = std::min(4 - in, bytes);
      RaceCell &cell = getCell(address / 4);
      if (count == 4 && !cell.split()) {
        function(cell, address, 4u);
      } else {
        std::array<RaceCell, 4> &parts = splitCell(cell, address / 4);
        for (unsigned i = 0; i < count; ++i)
          function(parts[in + i], address + i, 1u);
      }
      address += count;
      bytes -= count;
    }
  }
  void clear() {
    for (auto &entry : pages)
      spare.push_back(std::move(entry.second));
    pages.clear();
    parts.clear();
    recent.fill({});
  }

private:
  static constexpr unsigned pageCells = 1024;
  using Page = std::array<RaceCell, pageCells>;

  RaceCell &getCell(uint64_t dword) {
    uint64_t number = dword / pageCells;
    Recent &known = recent[number % recent.size()];
    if (number != known.number) {
      std::unique_ptr<Page> &page = pages[number];
      if (!page)
        page = freshPage();
      known = {number, page.get()};
    }
    return (*known.page)[dword % pageCells];
  }
  std::unique_ptr<Page> freshPage() {
    if (spare.empty())
      return std::make_unique<Page>();
    std::unique_ptr<Page> page = std::move(spare.back());
    spare.pop_back();
    page->fill({});
    return page;
  }
  std::array<RaceCell, 4> &splitCell(RaceCell &cell, uint64_t dword) {
    if (!cell.split()) {
      parts[dword].fill(cell);
      cell.write.word = RaceCell::splitMark;
    }
    return parts[dword];
  }

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  std::unordered_map<uint64_t, std::array<RaceCell, 4>> parts;
  std::vector<std::unique_ptr<Page>> spare;
  struct Recent {
    uint64_t number = ~uint64_t(0);
    Page *page = nullptr;
  };
  std::array<Recent, 64> recent; ///< recently used pages, to avoid lookups
};

} // namespace nstf::emulator::checks
