// Bounds of rendering a chat template (nstf/ChatTemplate.h), which somebody else wrote.
#pragma once

#include <cstdint>

namespace nstf::runtime {

/// What a run may take; more is an error.
struct ChatLimits {
  uint64_t steps = 50'000'000;         ///< values computed, elements visited
  uint64_t memoryBytes = 256ull << 20; ///< of all values made
  uint64_t textBytes = 16ull << 20;    ///< of the output, and of any text on the way
  unsigned depth = 1500;               ///< expressions, statements, macros and values inside one another
};

} // namespace nstf::runtime
