// Tracks which bits of device memory were written.
//
// Each byte of memory has a shadow byte whose bits say which of its bits are undefined (1) or defined (0). Memory
// counts as defined unless marked, so only memory that was allocated and not yet written needs shadow bytes. The shadow
// consists of pages; a page that is entirely undefined stores no bytes. It persists over launches; host copies and
// kernels share it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace nstf::emulator {

/// Whether all the bytes are zero.
bool isZero(const uint8_t *bytes, uint64_t count);

/// Several threads may call members; each must hold `lock()`.
class Shadow {
public:
  [[nodiscard]] std::unique_lock<std::mutex> lock() const { return std::unique_lock(mutex); }

  /// Marks all bits of [address, address + bytes).
  void setDefined(uint64_t address, uint64_t bytes);
  void setUndefined(uint64_t address, uint64_t bytes);
  /// Copies definedness with a copy of bytes: `to` becomes as defined as `from`. The ranges may overlap.
  void copy(uint64_t to, uint64_t from, uint64_t bytes);
  /// Whether all bits of the range are defined.
  bool isDefined(uint64_t address, uint64_t bytes) const;
  /// The undefined bits of each byte.
  void load(uint64_t address, unsigned bytes, uint8_t *bits) const;
  void store(uint64_t address, unsigned bytes, const uint8_t *bits);
  /// Whether nothing is undefined.
  bool empty() const { return pages.empty(); }
  void clear();

private:
  static constexpr unsigned pageBits = 14;
  static constexpr uint64_t pageBytes = uint64_t(1) << pageBits;
  struct Page {
    std::unique_ptr<uint8_t[]> bits; ///< null: all undefined
    uint32_t undefined = pageBytes;  ///< bytes with an undefined bit
  };
  Page *find(uint64_t number) const {
    Recent &known = recent[number % recent.size()];
    if (number != known.number) {
      auto found = pages.find(number);
      known = {number, found == pages.end() ? nullptr : const_cast<Page *>(&found->second)};
    }
    return known.page;
  }
  /// The page, with its own bytes allocated.
  Page &own(uint64_t number);
  void drop(uint64_t number);

  mutable std::mutex mutex;
  std::unordered_map<uint64_t, Page> pages;
  struct Recent {
    uint64_t number = ~uint64_t(0);
    Page *page = nullptr; ///< null: no such page
  };
  mutable std::array<Recent, 16> recent; ///< recent lookups
};

} // namespace nstf::emulator
