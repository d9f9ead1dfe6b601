// The control block holds the values of a launch that are known only at run time. It lies in device memory; the
// launcher writes it and kernels read it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nstf::support {

/// The first block describes the whole step. If a step takes rows of several requests, a block for each request
/// follows; unused ones have 0 tokens.
struct ControlBlock {
  int32_t tokens = 0;   ///< rows of the launch
  int32_t position = 0; ///< position in the text of the first of these rows
  int32_t first = 0;    ///< in a request's block: its first row in the step
  int32_t slot = 0;     ///< in a request's block: the index of its part of the states
  int32_t reserved[12] = {};

  static constexpr int32_t maxRequests = 256;
};

static_assert(sizeof(ControlBlock) == 64); // the layout that compiled kernels expect

} // namespace nstf::support
