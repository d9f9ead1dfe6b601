// Estimates the instruction counts of workgroups that were not executed from those that were.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace nstf::emulator::timing {

/// The work of a workgroup mostly depends on one of its coordinates: the row of a causal mask, the entry of a ragged
/// batch, the last tile. The coordinate that explains the known workgroups best is chosen; between known ones the
/// estimate is linear.
class GroupWork {
public:
  explicit GroupWork(const uint32_t (&grid)[3]) : grid{grid[0], grid[1], grid[2]} {}

  void add(uint64_t index, uint64_t instructions);
  /// The estimate for workgroup `index` (x fastest). Precondition: `add` was called.
  uint64_t estimate(uint64_t index);

  /// Workgroups that represent the others: the first, the last, along the edges, and random ones. Sorted.
  static std::vector<uint64_t> probes(const uint32_t (&grid)[3]);

private:
  struct Known {
    uint64_t index, instructions;
  };
  struct Mean {
    double sum = 0, count = 0;
    double value() const { return sum / count; }
  };
  using Line = std::map<uint32_t, Mean>; ///< by coordinate

  uint32_t coordinate(uint64_t index, unsigned axis) const;
  void chooseAxis();

  const std::array<uint32_t, 3> grid;
  std::vector<Known> known;
  unsigned axis = 0;
  Line line;
  bool isChosen = false;
};

} // namespace nstf::emulator::timing
