#include "runtime/emulator/memory/ZeroPages.h"

#include <stdexcept>
#include <string>
#include <sys/mman.h>

namespace nstf::emulator {

ZeroPages::ZeroPages(size_t bytes, const char *what) : pages(nullptr), bytes(bytes) {
  if (!bytes)
    return;
  pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED)
    throw std::runtime_error("no room for " + std::to_string(bytes) + " bytes of " + what);
}
ZeroPages::~ZeroPages() {
  if (bytes)
    munmap(pages, bytes);
}

} // namespace nstf::emulator
