#include "runtime/model/MappedFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace nstf::runtime {

MappedFile::MappedFile(const std::filesystem::path &file) {
  auto fail = [&](int code) { throw std::runtime_error(file.string() + ": " + std::strerror(code)); };
  int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    fail(errno);
  struct stat status;
  int error = ::fstat(descriptor, &status) != 0 ? errno : S_ISDIR(status.st_mode) ? EISDIR : 0;
  if (error == 0 && !S_ISREG(status.st_mode))
    error = EINVAL;                       // a pipe or device cannot be mapped
  if (error == 0 && status.st_size > 0) { // an empty file maps to nothing
    length = static_cast<std::size_t>(status.st_size);
    void *memory = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (memory == MAP_FAILED)
      error = errno;
    else
      data = static_cast<const std::byte *>(memory);
  }
  ::close(descriptor);
  if (error != 0)
    fail(error);
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : data(std::exchange(other.data, nullptr)), length(std::exchange(other.length, 0)) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(data, other.data);
  std::swap(length, other.length);
  return *this;
}

MappedFile::~MappedFile() {
  if (data)
    ::munmap(const_cast<std::byte *>(data), length);
}

} // namespace nstf::runtime
