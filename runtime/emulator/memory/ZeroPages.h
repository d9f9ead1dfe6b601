// Host memory that is reserved at once and taken page by page.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nstf::emulator {

/// Zeroed, page-aligned host memory; pages take host memory only when touched.
class ZeroPages {
public:
  /// `what`: whose memory it is, for messages. Throws std::runtime_error when the host has too little memory.
  ZeroPages(size_t bytes, const char *what);
  ~ZeroPages();
  ZeroPages(const ZeroPages &) = delete;
  ZeroPages &operator=(const ZeroPages &) = delete;
  uint64_t address() const { return reinterpret_cast<uint64_t>(pages); }
  void *data() const { return pages; }
  size_t size() const { return bytes; }

private:
  void *pages;
  size_t bytes;
};

} // namespace nstf::emulator
