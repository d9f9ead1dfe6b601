#include "support/OutputFile.h"
#include "support/Path.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>
#include <utility>

namespace nstf::support {

void failErrno(const std::filesystem::path &name, const char *action) {
  throw std::runtime_error(describePath(name) + ": cannot " + action + ": " + std::strerror(errno));
}

/// Calls `write(bytes)`, which returns how many bytes it wrote, until all are written.
template <typename Write> static void writeAll(std::span<const std::byte> bytes, const std::string &name, Write write) {
  while (!bytes.empty()) {
    ssize_t written = write(bytes);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      failErrno(name, "write");
    bytes = bytes.subspan(written);
  }
}

OutputFile OutputFile::create(const std::filesystem::path &path, std::string name, uint64_t size) {
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0)
    failErrno(name, "create");
  OutputFile file(descriptor, std::move(name));
  if (size != 0 && ::fallocate(descriptor, 0, 0, static_cast<off_t>(size)) != 0) {
    if (errno != EOPNOTSUPP && errno != ENOSYS)
      failErrno(file.name, "write");
    if (::ftruncate(descriptor, static_cast<off_t>(size)) != 0)
      failErrno(file.name, "write");
  }
  return file;
}

OutputFile OutputFile::openInPlace(const std::filesystem::path &path) {
  int descriptor = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0)
    failErrno(path, "write");
  return OutputFile(descriptor, path.string());
}

OutputFile::OutputFile(OutputFile &&other) noexcept
    : descriptor(std::exchange(other.descriptor, -1)), name(std::move(other.name)) {}

OutputFile::~OutputFile() {
  if (descriptor >= 0)
    ::close(descriptor);
}

void OutputFile::writeAt(uint64_t offset, std::span<const std::byte> bytes) {
  const std::byte *first = bytes.data();
  writeAll(bytes, name, [&](std::span<const std::byte> rest) {
    return ::pwrite(descriptor, rest.data(), rest.size(), static_cast<off_t>(offset + (rest.data() - first)));
  });
}

void OutputFile::append(std::span<const std::byte> bytes) {
  writeAll(bytes, name, [&](std::span<const std::byte> rest) { return ::write(descriptor, rest.data(), rest.size()); });
}

void OutputFile::close() {
  if (::close(std::exchange(descriptor, -1)) != 0)
    failErrno(name, "write");
}

} // namespace nstf::support
