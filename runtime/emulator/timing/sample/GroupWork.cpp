#include "runtime/emulator/timing/sample/GroupWork.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

namespace nstf::emulator::timing {

void GroupWork::add(uint64_t index, uint64_t instructions) {
  known.push_back({index, instructions});
  isChosen = false;
}

uint32_t GroupWork::coordinate(uint64_t index, unsigned of) const {
  for (unsigned i = 0; i < of; ++i)
    index /= grid[i];
  return uint32_t(index % grid[of]);
}

void GroupWork::chooseAxis() {
  double min = std::numeric_limits<double>::infinity();
  for (unsigned candidate = 0; candidate < 3; ++candidate) {
    Line means;
    for (const Known &group : known) {
      Mean &mean = means[coordinate(group.index, candidate)];
      mean.sum += double(group.instructions);
      ++mean.count;
    }
    double error = 0;
    for (const Known &group : known)
      error += std::abs(double(group.instructions) - means[coordinate(group.index, candidate)].value());
    // A line of many points fits anything: of two that fit equally, the one with fewer points is chosen.
    error = error / double(known.size()) + 1e-6 * double(means.size());
    if (error < min) {
      min = error;
      axis = candidate;
      line = std::move(means);
    }
  }
  isChosen = true;
}

uint64_t GroupWork::estimate(uint64_t index) {
  if (!isChosen)
    chooseAxis();
  const uint32_t at = coordinate(index, axis);
  const auto above = line.lower_bound(at);
  if (above == line.end())
    return uint64_t(std::llround(line.rbegin()->second.value()));
  if (above->first == at || above == line.begin())
    return uint64_t(std::llround(above->second.value()));
  const auto below = std::prev(above);
  const double part = double(at - below->first) / double(above->first - below->first);
  return uint64_t(std::llround(below->second.value() + part * (above->second.value() - below->second.value())));
}

std::vector<uint64_t> GroupWork::probes(const uint32_t (&grid)[3]) {
  constexpr unsigned alongEdge = 17, random = 64;
  std::set<uint64_t> result;
  auto getIndex = [&](uint64_t x, uint64_t y, uint64_t z) { return x + grid[0] * (y + uint64_t(grid[1]) * z); };
  for (uint64_t corner = 0; corner < 8; ++corner)
    result.insert(getIndex(corner & 1 ? grid[0] - 1 : 0, corner & 2 ? grid[1] - 1 : 0, corner & 4 ? grid[2] - 1 : 0));
  for (uint64_t i = 0; i < alongEdge; ++i) {
    auto at = [&](unsigned axis) { return i * (grid[axis] - 1) / (alongEdge - 1); };
    result.insert({getIndex(at(0), 0, 0), getIndex(0, at(1), 0), getIndex(0, 0, at(2))});
  }
  std::mt19937_64 generator(1);
  const uint64_t groups = uint64_t(grid[0]) * grid[1] * grid[2];
  for (unsigned i = 0; i < random; ++i)
    result.insert(generator() % groups);
  return {result.begin(), result.end()};
}

} // namespace nstf::emulator::timing
