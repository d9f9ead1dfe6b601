// An array that grows without moving.
#pragma once

#include "runtime/emulator/memory/ZeroPages.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace nstf::emulator {

/// Address space for `capacity` elements is reserved at once, host memory is taken as the array grows. Other threads
/// may read the elements before size() while one appends.
template <typename T> class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  GrowingArray(size_t capacity, const char *what) : pages(capacity * sizeof(T), what), limit(capacity), what(what) {}
  const T *data() const { return static_cast<const T *>(pages.data()); }
  size_t size() const { return count.load(std::memory_order_acquire); }
  size_t capacity() const { return limit; }
  const T &operator[](size_t index) const { return data()[index]; }
  /// Throws std::runtime_error if the array is full.
  void append(const T &value, size_t times = 1) {
    const size_t before = size();
    if (times > limit - before)
      throw std::runtime_error("expected at most " + std::to_string(limit) + " " + what);
    std::fill_n(static_cast<T *>(pages.data()) + before, times, value);
    count.store(before + times, std::memory_order_release);
  }

private:
  ZeroPages pages;
  const size_t limit;
  const char *const what;
  std::atomic<size_t> count = 0;
};

} // namespace nstf::emulator
