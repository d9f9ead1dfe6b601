// Temporary folders and the shared checkpoints for tests.
#pragma once

#include "test/support/TemporaryFolder.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>

namespace nstf::test {

/// The bytes of a value, to build files from.
template <typename T> std::string getBytes(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

/// Real checkpoints beside the checkout. Tests that need a missing one skip.
inline std::filesystem::path sharedModels() {
  return std::filesystem::path(NSTF_SOURCE_DIR).parent_path() / "shared/models";
}

} // namespace nstf::test

#define NSTF_REQUIRE_SHARED_MODELS()                                                                                   \
  if (!std::filesystem::is_directory(nstf::test::sharedModels()))                                                      \
  GTEST_SKIP() << "no " << nstf::test::sharedModels() << " beside this checkout"
