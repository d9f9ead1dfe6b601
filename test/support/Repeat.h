// Repeats a text.
#pragma once

#include <string>

namespace nstf::test {

inline std::string repeat(const std::string &text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

} // namespace nstf::test
