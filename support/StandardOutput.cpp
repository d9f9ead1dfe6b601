#include "support/StandardOutput.h"

#include <cerrno>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace nstf::support {

StandardOutput::StandardOutput() {
  setp(buffer.data(), buffer.data() + buffer.size());
  former = std::cout.rdbuf(this);
  std::cout.exceptions(std::ios::badbit); // passes on exceptions from sync
}

StandardOutput::~StandardOutput() {
  flushQuietly();
  std::cout.rdbuf(former);
}

void StandardOutput::flushQuietly() {
  std::cout.exceptions(std::ios::goodbit);
  std::cout.clear();
  std::cout.flush();
}

StandardOutput::int_type StandardOutput::overflow(int_type character) {
  sync();
  if (!traits_type::eq_int_type(character, traits_type::eof()))
    sputc(traits_type::to_char_type(character));
  return traits_type::not_eof(character);
}

int StandardOutput::sync() {
  const char *next = pbase(), *end = pptr();
  setp(buffer.data(), buffer.data() + buffer.size());
  while (next != end && !hasFailed) {
    ssize_t written = ::write(STDOUT_FILENO, next, size_t(end - next));
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0) {
      hasFailed = true;
      throw std::runtime_error("cannot write to standard output: " + std::string(std::strerror(errno)));
    }
    next += written;
  }
  return 0;
}

} // namespace nstf::support
