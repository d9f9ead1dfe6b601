// A file that appears whole or not at all (WriteFile.h).
#include "compiler/package/WriteFile.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <unistd.h>

void nstf::writeFileAside(const std::filesystem::path &file, std::string_view bytes) {
  std::filesystem::path temporary = file;
  temporary += ".tmp" + std::to_string(getpid());
  auto fail = [&] {
    std::string reason = std::strerror(errno);
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw std::runtime_error(file.string() + ": expected to write " + std::to_string(bytes.size()) + " bytes but " +
                             reason);
  };
  std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
  if (!stream)
    fail();
  stream.write(bytes.data(), bytes.size());
  stream.close();
  if (!stream || std::rename(temporary.c_str(), file.c_str()) != 0)
    fail();
}
