// Which earlier steps a step must wait for, from the memory they touch.
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

/// For each step the earlier ones it waits for directly: those that write what it touches or read what it writes,
/// without the ones that an already listed step waits for.
std::vector<std::vector<uint32_t>> orderSteps(const std::vector<std::vector<MemoryTouch>> &steps);

} // namespace nstf
