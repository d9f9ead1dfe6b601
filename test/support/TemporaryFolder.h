// A folder for a test's files that the destructor removes.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <string_view>
#include <unistd.h>

namespace nstf::test {

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = testing::TempDir() + "/nstf-XXXXXX";
    folder = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;

  std::filesystem::path operator/(const std::string &name) const { return folder / name; }
  const std::filesystem::path &path() const { return folder; }
  /// Writes a file in the folder and returns its path.
  std::filesystem::path write(const std::string &name, std::string_view bytes) const {
    std::ofstream(folder / name, std::ios::binary).write(bytes.data(), bytes.size());
    return folder / name;
  }

private:
  std::filesystem::path folder;
};

inline std::string readFile(const std::filesystem::path &file) {
  std::ifstream stream(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

} // namespace nstf::test
