#include "passes/analysis/MemoryPlan.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace nstf {

static int64_t alignUp(int64_t size, int64_t alignment) { return (size + alignment - 1) / alignment * alignment; }

MemoryPlan planMemory(std::span<const LiveInterval> values, int64_t alignment) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t(0));
  // Equal sizes keep their order of definition, so that plans are reproducible.
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a].size > values[b].size; });

  MemoryPlan plan;
  plan.offsets.assign(values.size(), 0);
  std::vector<size_t> placed; // in the order of their offsets
  for (size_t index : order) {
    int64_t size = alignUp(values[index].size, alignment);
    int64_t end = 0, best = -1, bestGap = 0; // `end`: the end of the overlapping values so far
    for (size_t other : placed) {
      if (!values[other].overlaps(values[index]))
        continue;
      int64_t gap = plan.offsets[other] - end;
      if (gap >= size && (best < 0 || gap < bestGap)) {
        best = end;
        bestGap = gap;
      }
      end = std::max(end, plan.offsets[other] + alignUp(values[other].size, alignment));
    }
    int64_t offset = best < 0 ? end : best;
    plan.offsets[index] = offset;
    plan.peak = std::max(plan.peak, offset + size);
    auto where = std::upper_bound(placed.begin(), placed.end(), offset,
                                  [&](int64_t value, size_t other) { return value < plan.offsets[other]; });
    placed.insert(where, index);
  }
  return plan;
}

std::optional<std::pair<size_t, size_t>> findOverlap(std::span<const LiveInterval> values,
                                                     std::span<const int64_t> offsets) {
  std::vector<size_t> order(values.size()), alive;
  std::iota(order.begin(), order.end(), size_t(0));
  std::ranges::stable_sort(order, {}, [&](size_t index) { return values[index].first; });
  for (size_t index : order) {
    std::erase_if(alive, [&](size_t other) { return values[other].last < values[index].first; });
    for (size_t other : alive) // an empty value overlaps nothing, whatever its offset
      if (values[index].size && values[other].size && offsets[index] < offsets[other] + values[other].size &&
          offsets[other] < offsets[index] + values[index].size)
        return std::pair(other, index);
    alive.push_back(index);
  }
  return std::nullopt;
}

int64_t peakLowerBound(std::span<const LiveInterval> values, int64_t alignment) {
  std::map<int64_t, int64_t> change; // bytes that go live at a step, less those that died before it
  for (const LiveInterval &value : values) {
    int64_t size = alignUp(value.size, alignment);
    change[value.first] += size;
    change[value.last + 1] -= size;
  }
  int64_t alive = 0, most = 0;
  for (auto [step, bytes] : change)
    most = std::max(most, alive += bytes);
  return most;
}

} // namespace nstf
