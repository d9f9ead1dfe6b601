// Places values with known lifetimes in one arena: a pure function on intervals.
//
// Greedy by size, best fit: the largest value is placed first, each into the smallest gap that it fits between placed
// values that are live at the same time; if there is no such gap, it goes after the last of them. (Pisarchyk and Lee,
// "Efficient Memory Management for Deep Neural Net Inference", 2020, "greedy by size for offset calculation".) The
// result is not optimal, which is NP-hard; on transformer graphs it almost always reaches the lower bound, the most
// bytes live at one time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace nstf {

/// A value that needs `size` bytes from step `first` to step `last`, both included, so a step's results never share
/// bytes with its operands.
struct LiveInterval {
  int64_t size = 0;
  int64_t first = 0;
  int64_t last = 0;

  bool overlaps(const LiveInterval &other) const { return first <= other.last && other.first <= last; }
};

struct MemoryPlan {
  std::vector<int64_t> offsets; ///< of each value, a multiple of the alignment
  int64_t peak = 0;             ///< bytes of the arena, a multiple of the alignment
};

/// Places every value. Precondition: sizes ≥ 0, first ≤ last, alignment ≥ 1. The same input gives the same plan.
MemoryPlan planMemory(std::span<const LiveInterval> values, int64_t alignment);

/// Two values, by index, that are live at the same time and share bytes at these `offsets`; nullopt if there are none.
std::optional<std::pair<size_t, size_t>> findOverlap(std::span<const LiveInterval> values,
                                                     std::span<const int64_t> offsets);

/// The most aligned bytes live at one step: no plan has a smaller peak.
int64_t peakLowerBound(std::span<const LiveInterval> values, int64_t alignment);

} // namespace nstf
