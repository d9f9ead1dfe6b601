// A file that appears whole or not at all (WriteFile.h).
#include "compiler/package/WriteFile.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <unistd.h>

void nstf::writeFileAside(const std::filesystem::path &path, std::string_view bytes) {
  // A link stays one; a device, such as /dev/null, must not become a file.
  std::error_code unknown;
  std::filesystem::path resolved = std::filesystem::weakly_canonical(path, unknown);
  const std::filesystem::path &file = unknown ? path : resolved;
  bool isSpecial = std::filesystem::exists(file, unknown) && !std::filesystem::is_regular_file(file, unknown) &&
                   !std::filesystem::is_directory(file, unknown);
  std::filesystem::path temporary = file;
  if (isSpecial) {
    std::ofstream stream(file, std::ios::binary);
    stream.write(bytes.data(), bytes.size());
    stream.close();
    if (!stream)
      throw std::runtime_error(path.string() + ": cannot write: " + std::strerror(errno));
    return;
  }
  temporary += ".tmp" + std::to_string(getpid());
  auto fail = [&] {
    std::string reason = std::strerror(errno);
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw std::runtime_error(path.string() + ": cannot write: " + reason);
  };
  std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
  if (!stream)
    fail();
  stream.write(bytes.data(), bytes.size());
  stream.close();
  if (!stream || std::rename(temporary.c_str(), file.c_str()) != 0)
    fail();
}
