// Limits for rendering a chat template (nstf/ChatTemplate.h), which is untrusted input.
#pragma once

#include <cstdint>

namespace nstf::runtime {

/// Limits of one rendering; exceeding one is an error.
struct ChatLimits {
  uint64_t steps = 50'000'000;         ///< values computed, elements visited
  uint64_t memoryBytes = 256ull << 20; ///< of all values created
  uint64_t textBytes = 16ull << 20;    ///< of the output, and of any intermediate text
  unsigned depth = 1500;               ///< nesting of expressions, statements, macros and values
};

} // namespace nstf::runtime
