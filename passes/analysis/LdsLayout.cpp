#include "passes/analysis/LdsLayout.h"

#include <array>
#include <numeric>
#include <set>
#include <tuple>

using namespace mlir;
using namespace nstf::systolic;
using nstf::support::LdsDirection;

namespace {

constexpr int64_t lanes = 64;

/// The first coordinates of a lane of the first wave; nothing where an earlier lane holds the same elements.
std::optional<SmallVector<int64_t, 2>> getStart(FragmentAttr layout, int64_t lane, unsigned rank) {
  SmallVector<int64_t, 2> start(rank, 0);
  for (const Digit &digit : layout.getLane()) {
    int64_t value = lane % digit.count;
    lane /= digit.count;
    if (digit.dim >= 0)
      start[digit.dim] += value * digit.stride;
    else if (value != 0)
      return std::nullopt;
  }
  return start;
}

/// The place of an element in LDS, counted in elements.
int64_t getPlace(const LdsTileAccess &access, Attribute swizzle, ArrayRef<int64_t> coordinates) {
  if (coordinates.size() == 1)
    return coordinates[0];
  int64_t row = coordinates[access.transposed ? 1 : 0], column = coordinates[access.transposed ? 0 : 1];
  if (auto packed = dyn_cast_or_null<PackedAttr>(swizzle))
    return packed.getPlace(row, column, access.shape.back(), access.elementBits);
  if (auto groups = dyn_cast_or_null<SwizzleAttr>(swizzle))
    return groups.getPlace(row, column, access.shape.back());
  return row * access.shape.back() + column;
}

} // namespace

AccessRegisters nstf::systolic::getAccessRegisters(const LdsTileAccess &access, Attribute swizzle) {
  int64_t dim = access.transposed ? 0 : access.shape.size() - 1;
  int64_t width = std::gcd(getVectorWidth(access.layout, dim, access.elementBits), access.shape.back());
  auto packed = dyn_cast_or_null<PackedAttr>(swizzle);
  if (packed)
    width = std::gcd(width, packed.getRun(access.elementBits));
  if (auto groups = dyn_cast_or_null<SwizzleAttr>(swizzle))
    width = std::gcd(width, groups.getVector());
  return getAccessRegisters(access.layout, width, dim, packed, access.elementBits);
}

LdsCost nstf::systolic::getCost(const LdsTileAccess &access, Attribute swizzle, const Costs &costs) {
  unsigned rank = access.shape.size();
  AccessRegisters registers = getAccessRegisters(access, swizzle);
  int64_t bytes = registers.width * access.elementBits / 8;
  bool writes = access.direction == LdsDirection::Write;
  LdsCost cost;
  std::set<std::array<int64_t, lanes>> patterns;
  for (int64_t i = 0; i < registers.getNumAccesses(); ++i) {
    SmallVector<int64_t> offset = access.layout.getRegisterCoordinates(registers.of(i).front(), rank);
    std::array<uint32_t, lanes> addresses{};
    std::array<int64_t, lanes> pattern{};
    uint64_t active = 0;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      std::optional<SmallVector<int64_t, 2>> coordinates = getStart(access.layout, lane, rank);
      if (!coordinates) {
        // A replica reads the same address as the lane it repeats, and does not write.
        int64_t same = lane;
        while (!getStart(access.layout, same, rank))
          --same;
        addresses[lane] = addresses[same];
        active |= writes ? 0 : uint64_t(1) << lane;
        continue;
      }
      for (unsigned dim = 0; dim < rank; ++dim)
        (*coordinates)[dim] += offset[dim];
      addresses[lane] = getPlace(access, swizzle, *coordinates) * access.elementBits / 8;
      pattern[lane] = int64_t(addresses[lane]) - int64_t(addresses[0]);
      active |= uint64_t(1) << lane;
    }
    patterns.insert(pattern);
    ++cost.accesses;
    cost.portClocks += costs.getLdsPortClocks(access.direction, bytes);
    cost.conflictClocks += costs.getLdsConflictClocks(access.direction, bytes, addresses, active);
  }
  cost.addresses = patterns.size();
  return cost;
}

SwizzleAttr nstf::systolic::chooseSwizzle(const LdsTileAccess &write, const LdsTileAccess &read, const Costs &costs) {
  auto judge = [&](SwizzleAttr swizzle) {
    LdsCost in = getCost(write, swizzle, costs), out = getCost(read, swizzle, costs);
    return std::tuple(in.clocks() + out.clocks(), in.addresses + out.addresses, in.conflictClocks + out.conflictClocks);
  };
  SwizzleAttr best;
  auto cost = judge(best);
  if (read.shape.size() != 2)
    return best;
  int64_t height = read.shape.front(), columns = read.shape.back();
  MLIRContext *context = read.layout.getContext();
  std::set<int64_t> vectors = {getAccessRegisters(write, {}).width, getAccessRegisters(read, {}).width};
  auto tryFolded = [&](int64_t fold) {
    for (int64_t vector : vectors)
      for (int64_t rows = 2; columns % (vector * rows) == 0; rows *= 2)
        for (int64_t phase = 1; phase * rows <= height; phase *= 2) {
          auto swizzle = SwizzleAttr::get(context, vector, rows, phase, fold);
          if (auto other = judge(swizzle); other < cost)
            std::tie(best, cost) = std::pair(swizzle, other);
        }
  };
  tryFolded(1);
  // Rows are folded only to avoid bank conflicts that remain without a fold. A fold of two changes nothing, so folds
  // begin with four.
  for (int64_t fold = 4; std::get<2>(cost) != 0 && height % fold == 0; fold *= 2)
    tryFolded(fold);
  return best;
}
