// Shared by the fuzzers of readers: bytes as a file, and the errors that are allowed.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace nstf::fuzz {

inline std::string_view getText(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// A file in memory, for readers that need a path: one for all inputs, or one of 3 for readers of several files.
inline std::string makeFile(std::string_view bytes, int which = 0) {
  static int descriptors[3] = {-1, -1, -1};
  int &descriptor = descriptors[which];
  if (descriptor < 0)
    descriptor = ::memfd_create("fuzz", MFD_CLOEXEC);
  std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  if (::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    std::abort();
  return path;
}

/// Runs a reader. Bad input must throw a std::runtime_error with a message; any other exception ends the fuzzer.
template <typename Read> void expectRead(Read read) {
  try {
    read();
  } catch (const std::runtime_error &error) {
    if (std::string_view(error.what()).empty())
      std::abort();
  }
}

} // namespace nstf::fuzz
