//===- TestFiles.h - Temporary folders and the shared checkpoints, for tests ---------------===//
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>

namespace nstf::test {

/// A folder that lives as long as the object.
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

/// The bytes of a value, for building files.
template <typename T> std::string bytesOf(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

/// Real checkpoints beside the checkout; tests skip where they are absent.
inline std::filesystem::path sharedModels() {
  return std::filesystem::path(NSTF_SOURCE_DIR).parent_path() / "shared/models";
}

} // namespace nstf::test

#define NSTF_REQUIRE_SHARED_MODELS()                                                                                   \
  if (!std::filesystem::is_directory(nstf::test::sharedModels()))                                                      \
  GTEST_SKIP() << "no " << nstf::test::sharedModels() << " beside this checkout"
