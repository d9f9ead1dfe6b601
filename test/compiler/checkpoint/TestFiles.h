// A temporary folder for one test, and hand-written safetensors files in it.
#pragma once

#include "support/InputError.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace nstf::test {

class TestFiles : public ::testing::Test {
protected:
  TestFiles() {
    std::string pattern = (std::filesystem::temp_directory_path() / "nstf-import-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~TestFiles() override { std::filesystem::remove_all(folder); }

  std::string path(const std::string &name) const { return (folder / name).string(); }

  std::string write(const std::string &name, const std::string &bytes) const {
    std::filesystem::create_directories((folder / name).parent_path());
    std::ofstream(folder / name, std::ios::binary) << bytes;
    return path(name);
  }

  /// A file with this header and `dataSize` zero bytes.
  std::string writeSafeTensors(const std::string &name, const std::string &header, size_t dataSize) const {
    uint64_t size = header.size();
    std::string length(8, '\0');
    std::memcpy(length.data(), &size, 8);
    return write(name, length + header + std::string(dataSize, '\0'));
  }

  std::filesystem::path folder;
};

/// The message of the exception from `action`, without the path of the test's folder.
template <typename Action> std::string getError(Action action) {
  try {
    action();
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "no error";
}

} // namespace nstf::test
