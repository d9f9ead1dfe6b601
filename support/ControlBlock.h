// The control block: what only the run knows of a launch, in device memory. The launcher writes it, kernels read it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nstf::support {

/// Of the whole step. Where a step takes rows of several requests, a block for each of them follows, of its part alone;
/// requests that are not there have 0 tokens.
struct ControlBlock {
  int32_t tokens = 0;   ///< rows of the launch
  int32_t position = 0; ///< where the first of them stands in the text
  int32_t first = 0;    ///< of a request: its first row in the step
  int32_t slot = 0;     ///< of a request: which part of the states is its own
  int32_t reserved[12] = {};

  static constexpr int32_t maxRequests = 256;
};

static_assert(sizeof(ControlBlock) == 64); // kernels that exist were made for these bytes

} // namespace nstf::support
