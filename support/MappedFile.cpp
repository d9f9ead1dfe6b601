#include "support/MappedFile.h"
#include "support/Path.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace nstf::support {

[[noreturn]] static void fail(const std::string &path, const std::string &reason) {
  throw std::runtime_error(describePath(path) + ": " + reason);
}

static void checkRegular(const std::string &path) {
  std::error_code error;
  std::filesystem::file_status status = std::filesystem::status(path, error);
  if (error)
    fail(path, error.message());
  if (!std::filesystem::is_regular_file(status))
    fail(path, std::string("expected a file but got ") + describeKind(status.type()));
}

MappedFile::MappedFile(const std::filesystem::path &path) : name(path.string()) {
  checkPath(name);
  // Checked before opening, because opening some devices has side effects. The file type is checked again after
  // opening: the path may name another file by then.
  checkRegular(name);
  int descriptor = ::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    fail(name, std::strerror(errno));
  struct stat status;
  int error = ::fstat(descriptor, &status) != 0 ? errno : 0;
  if (error == 0 && S_ISREG(status.st_mode) && status.st_size > 0) { // mmap refuses a length of 0
    length = static_cast<size_t>(status.st_size);
    void *address = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (address == MAP_FAILED)
      error = errno;
    else
      start = static_cast<const std::byte *>(address);
  }
  ::close(descriptor);
  if (error == 0 && !S_ISREG(status.st_mode))
    error = EINVAL;
  if (error != 0)
    fail(name, std::strerror(error));
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : name(std::move(other.name)), start(std::exchange(other.start, nullptr)), length(std::exchange(other.length, 0)) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(name, other.name);
  std::swap(start, other.start);
  std::swap(length, other.length);
  return *this;
}

MappedFile::~MappedFile() {
  if (start)
    ::munmap(const_cast<std::byte *>(start), length);
}

std::string readTextFile(const std::filesystem::path &path, size_t limit) {
  MappedFile file(path);
  if (file.size() > limit)
    fail(file.path(),
         "expected a text of at most " + std::to_string(limit) + " bytes but got " + std::to_string(file.size()));
  return std::string(file.text());
}

} // namespace nstf::support
