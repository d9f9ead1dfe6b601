// The control block: what only the run knows of a launch, in device memory. The launcher writes it, kernels read it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nstf::support {

struct ControlBlock {
  int32_t tokens = 0;   ///< rows of the launch
  int32_t position = 0; ///< where the first of them stands in the text
  int32_t reserved[14] = {};
};

static_assert(sizeof(ControlBlock) == 64); // kernels that exist were made for these bytes

} // namespace nstf::support
