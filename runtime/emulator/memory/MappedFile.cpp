#include "runtime/emulator/memory/MappedFile.h"
#include "runtime/emulator/memory/CodeObject.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nstf::emulator {
namespace {

struct Mapping {
  void *begin;
  size_t size;
  Mapping(void *begin, size_t size) : begin(begin), size(size) {}
  ~Mapping() { munmap(begin, size); }
  Mapping(const Mapping &) = delete;
  Mapping &operator=(const Mapping &) = delete;
};

SharedBytes share(void *begin, size_t size) {
  return {{static_cast<const std::byte *>(begin), size}, std::make_shared<Mapping>(begin, size)};
}

} // namespace

SharedBytes mapFile(const std::string &path) {
  auto fail = [&](const std::string &why) { throw LoadError(LoadError::Reason::NoFile, path + ": " + why); };
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    fail(std::strerror(errno));
  struct stat status;
  void *begin = MAP_FAILED;
  int error = 0;
  const bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  const size_t size = regular ? size_t(status.st_size) : 0;
  if (size) {
    begin = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    error = errno;
  }
  close(file);
  if (!regular)
    fail("expected a file");
  if (!size)
    fail("expected a code object but got 0 bytes");
  if (begin == MAP_FAILED)
    fail(std::strerror(error));
  return share(begin, size);
}

SharedBytes mapPages(size_t size, std::byte *&data) {
  void *begin =
      mmap(nullptr, size ? size : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED)
    throw LoadError(LoadError::Reason::OutOfMemory, "no memory for " + std::to_string(size) + " decompressed bytes");
  data = static_cast<std::byte *>(begin);
  SharedBytes pages = share(begin, size ? size : 1);
  pages.bytes = pages.bytes.first(size);
  return pages;
}

} // namespace nstf::emulator
