// Takes what kernels print.
#pragma once

#include "runtime/emulator/services/HostServices.h"

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::emulator::test {

struct Printed : services::TextOutput {
  std::string text, errors;
  unsigned flushes = 0;
  void write(std::string_view some, bool isError) override { (isError ? errors : text) += some; }
  void flush() override { ++flushes; }
};

/// A string in whole words.
inline std::vector<uint64_t> getWords(std::string_view text) {
  std::vector<uint64_t> words(text.size() / 8 + 1);
  std::memcpy(words.data(), text.data(), text.size());
  return words;
}

} // namespace nstf::emulator::test
