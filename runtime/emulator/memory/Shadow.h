// Which bits of device memory were ever written.
//
// For each byte of memory a byte of shadow whose bits say which of its bits are undefined (1) or defined (0). Memory
// that nobody marked is defined, so only what was allocated and not yet written costs anything: shadow comes in pages,
// and a page that is wholly undefined has no bytes of its own. Kept over launches; host copies and kernels share it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace nstf::emulator {

/// Whether all of some bytes are zero.
bool isZero(const uint8_t *bytes, uint64_t count);

/// Members may be called from several threads, one holding `lock()` at a time.
class Shadow {
public:
  [[nodiscard]] std::unique_lock<std::mutex> lock() const { return std::unique_lock(mutex); }

  /// All bits of [address, address + bytes).
  void setDefined(uint64_t address, uint64_t bytes);
  void setUndefined(uint64_t address, uint64_t bytes);
  /// What a copy of bytes makes: `to` is as defined as `from`. They may overlap.
  void copy(uint64_t to, uint64_t from, uint64_t bytes);
  /// Whether all of it is defined.
  bool isDefined(uint64_t address, uint64_t bytes) const;
  /// The undefined bits of each byte.
  void load(uint64_t address, unsigned bytes, uint8_t *bits) const;
  void store(uint64_t address, unsigned bytes, const uint8_t *bits);
  /// Nothing is undefined.
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
  /// The page, with bytes of its own.
  Page &own(uint64_t number);
  void drop(uint64_t number);

  mutable std::mutex mutex;
  std::unordered_map<uint64_t, Page> pages;
  struct Recent {
    uint64_t number = ~uint64_t(0);
    Page *page = nullptr; ///< null: there is none
  };
  mutable std::array<Recent, 16> recent; ///< looked up lately
};

} // namespace nstf::emulator
