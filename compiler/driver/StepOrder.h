// The earlier steps for which a step must wait, derived from the memory that they access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nstf {

/// Bytes [begin, end) of a buffer that a step reads or writes.
struct MemoryTouch {
  size_t buffer;
  uint64_t begin, end;
  bool isWrite;
};

/// For each step, the earlier steps for which it waits directly: those that write memory it accesses or access memory
/// it writes, except steps for which an already listed step waits.
std::vector<std::vector<uint32_t>> orderSteps(const std::vector<std::vector<MemoryTouch>> &steps);

} // namespace nstf
