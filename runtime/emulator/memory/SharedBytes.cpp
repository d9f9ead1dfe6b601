#include "runtime/emulator/memory/SharedBytes.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "support/MappedFile.h"

#include <sys/mman.h>

namespace nstf::emulator {
namespace {

struct Pages {
  void *begin;
  size_t size;
  Pages(void *begin, size_t size) : begin(begin), size(size) {}
  ~Pages() { munmap(begin, size); }
  Pages(const Pages &) = delete;
  Pages &operator=(const Pages &) = delete;
};

} // namespace

SharedBytes mapFile(const std::string &path) {
  try {
    auto file = std::make_shared<support::MappedFile>(path);
    if (file->size() == 0)
      throw std::runtime_error(path + ": expected a code object but got 0 bytes");
    return {file->bytes(), file};
  } catch (const std::runtime_error &error) {
    throw LoadError(LoadError::Reason::NoFile, error.what());
  }
}

SharedBytes mapPages(size_t size, std::byte *&data) {
  size_t mapped = size ? size : 1;
  void *begin = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED)
    throw LoadError(LoadError::Reason::OutOfMemory, "no memory for " + std::to_string(size) + " decompressed bytes");
  data = static_cast<std::byte *>(begin);
  return {{data, size}, std::make_shared<Pages>(begin, mapped)};
}

} // namespace nstf::emulator
