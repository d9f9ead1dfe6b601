//===- MappedFile.cpp - A file seen as memory ---------------------------------------===//

#include "compiler/import/MappedFile.h"

#include "compiler/import/ImportError.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace nstf;

MappedFile::MappedFile(const std::string &path) : name(path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    throw ImportError("cannot open '" + path + "': " + std::strerror(errno));
  struct stat status;
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    throw ImportError("'" + path + "' is not a file");
  }
  length = static_cast<std::size_t>(status.st_size);
  if (length == 0) { // mmap refuses a length of 0; an empty file is legal here and its reader says what it misses
    ::close(descriptor);
    return;
  }
  void *address = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE, descriptor, 0);
  int error = errno;
  ::close(descriptor);
  if (address == MAP_FAILED)
    throw ImportError("cannot map '" + path + "': " + std::strerror(error));
  start = static_cast<const std::byte *>(address);
}

MappedFile::~MappedFile() {
  if (start)
    ::munmap(const_cast<std::byte *>(start), length);
}

std::string nstf::readTextFile(const std::string &path, std::size_t limit) {
  MappedFile file(path);
  if (file.size() > limit)
    throw ImportError("'" + path + "': expected a text of at most " + std::to_string(limit) + " bytes but got " +
                      std::to_string(file.size()));
  return std::string(file.text());
}
