#include "tools/nstf-run/ReadText.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>

std::string readText(const std::filesystem::path &file, size_t mebibytes) {
  size_t limit = mebibytes << 20;
  bool isInput = file == "-";
  std::string name = isInput ? "standard input" : file.string(), text;
  int descriptor = isInput ? STDIN_FILENO : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  std::size_t length = 0;
  ssize_t got = descriptor;
  while (got >= 0) {
    text.resize(length + (1 << 16));
    got = ::read(descriptor, text.data() + length, text.size() - length);
    if (got < 0 && errno == EINTR)
      got = 0;
    else if (got <= 0)
      break;
    length += got;
    if (length > limit)
      break;
  }
  int reason = errno;
  if (!isInput && descriptor >= 0)
    ::close(descriptor);
  if (got < 0)
    throw std::runtime_error(name + ": cannot read it: " + std::strerror(reason));
  if (length > limit)
    throw std::runtime_error(name + ": expected at most " + std::to_string(mebibytes) +
                             " MiB of text but there is more");
  text.resize(length);
  return text;
}
