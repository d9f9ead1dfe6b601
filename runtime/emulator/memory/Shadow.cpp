#include "runtime/emulator/memory/Shadow.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace nstf::emulator {

bool isZero(const uint8_t *bytes, uint64_t count) {
  uint64_t any = 0, word;
  for (; count >= 8; bytes += 8, count -= 8) {
    std::memcpy(&word, bytes, 8);
    any |= word;
  }
  if (count >= 4) {
    uint32_t half;
    std::memcpy(&half, bytes, 4);
    any |= half;
    bytes += 4, count -= 4;
  }
  while (count--)
    any |= *bytes++;
  return !any;
}

Shadow::Page &Shadow::own(uint64_t number) {
  Page *page = find(number);
  if (!page) {
    page = &pages[number];
    page->bits = std::make_unique<uint8_t[]>(pageBytes);
    page->undefined = 0;
    recent[number % recent.size()] = {number, page};
  } else if (!page->bits) {
    page->bits = std::make_unique_for_overwrite<uint8_t[]>(pageBytes);
    std::memset(page->bits.get(), 0xff, pageBytes);
  }
  return *page;
}

void Shadow::drop(uint64_t number) {
  pages.erase(number);
  recent[number % recent.size()] = {};
}

void Shadow::clear() {
  pages.clear();
  recent.fill({});
}

/// Calls `piece(page number, offset in the page, bytes)` for each page that a range touches.
template <unsigned pageBits, typename F> static void forPages(uint64_t address, uint64_t bytes, F piece) {
  constexpr uint64_t pageBytes = uint64_t(1) << pageBits;
  while (bytes) {
    uint64_t offset = address & (pageBytes - 1), count = std::min(bytes, pageBytes - offset);
    piece(address >> pageBits, offset, count);
    address += count;
    bytes -= count;
  }
}

void Shadow::setDefined(uint64_t address, uint64_t bytes) {
  if (empty())
    return;
  forPages<pageBits>(address, bytes, [&](uint64_t number, uint64_t offset, uint64_t count) {
    if (!find(number))
      return;
    if (count == pageBytes)
      return drop(number);
    Page &page = own(number);
    uint8_t *bits = page.bits.get() + offset;
    page.undefined -= uint32_t(count - uint64_t(std::count(bits, bits + count, 0)));
    std::memset(bits, 0, count);
    if (!page.undefined)
      drop(number);
  });
}

void Shadow::setUndefined(uint64_t address, uint64_t bytes) {
  forPages<pageBits>(address, bytes, [&](uint64_t number, uint64_t offset, uint64_t count) {
    if (count == pageBytes) {
      pages[number] = Page();
      recent[number % recent.size()] = {};
      return;
    }
    Page &page = own(number);
    uint8_t *bits = page.bits.get() + offset;
    page.undefined += uint32_t(std::count(bits, bits + count, 0));
    std::memset(bits, 0xff, count);
  });
}

void Shadow::copy(uint64_t to, uint64_t from, uint64_t bytes) {
  if (empty())
    return;
  // In parts, in the order in which no source is overwritten before it is read.
  constexpr uint64_t max = 4096;
  std::vector<uint8_t> bits(std::min(bytes, max));
  for (uint64_t done = 0; done < bytes;) {
    uint64_t count = std::min(max, bytes - done), at = to <= from ? done : bytes - done - count;
    load(from + at, unsigned(count), bits.data());
    store(to + at, unsigned(count), bits.data());
    done += count;
  }
}

bool Shadow::isDefined(uint64_t address, uint64_t bytes) const {
  if (empty())
    return true;
  bool defined = true;
  forPages<pageBits>(address, bytes, [&](uint64_t number, uint64_t offset, uint64_t count) {
    if (const Page *page = defined ? find(number) : nullptr)
      defined = page->bits && isZero(page->bits.get() + offset, count);
  });
  return defined;
}

void Shadow::load(uint64_t address, unsigned bytes, uint8_t *bits) const {
  forPages<pageBits>(address, bytes, [&](uint64_t number, uint64_t offset, uint64_t count) {
    const Page *page = find(number);
    if (page && page->bits)
      std::memcpy(bits, page->bits.get() + offset, count);
    else
      std::memset(bits, page ? 0xff : 0, count);
    bits += count;
  });
}

void Shadow::store(uint64_t address, unsigned bytes, const uint8_t *bits) {
  forPages<pageBits>(address, bytes, [&](uint64_t number, uint64_t offset, uint64_t count) {
    const uint8_t *from = bits;
    bits += count;
    if (!find(number) && isZero(from, count))
      return;
    Page &page = own(number);
    uint8_t *to = page.bits.get() + offset;
    for (uint64_t i = 0; i < count; ++i) {
      page.undefined += uint32_t(from[i] != 0) - uint32_t(to[i] != 0);
      to[i] = from[i];
    }
    if (!page.undefined)
      drop(number);
  });
}

} // namespace nstf::emulator
