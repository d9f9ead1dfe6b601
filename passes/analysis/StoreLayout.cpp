#include "passes/analysis/StoreLayout.h"
#include "dialects/systolic/Layouts.h"

#include <numeric>
#include <set>

using namespace mlir;
using namespace nstf::systolic;

/// The product of the counts of the digits along `dim`.
static int64_t getExtent(ArrayRef<Digit> digits, int64_t dim) {
  int64_t extent = 1;
  for (const Digit &digit : digits)
    extent *= digit.dim == dim ? digit.count : 1;
  return extent;
}

StoreCost nstf::systolic::getStoreCost(FragmentAttr layout, const StoredTile &tile, const Costs &costs) {
  using Pieces = std::set<std::pair<int64_t, int64_t>>; // pairs of a row, and a piece of that row
  int64_t width = std::gcd(getVectorWidth(layout, /*dim=*/1, tile.elementBits), tile.width), lanes = 1;
  for (const Digit &digit : layout.getLane())
    lanes *= digit.count;
  StoreCost cost;
  cost.laneBytes = width * tile.elementBits / 8;
  int64_t together = costs.getLanesTogether(cost.laneBytes);
  for (int64_t i = 0; i < layout.getNumRegisters(); i += width) {
    SmallVector<int64_t> first = layout.getRegisterCoordinates(i, 2);
    Pieces segments, lines;
    int64_t touched = 0;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      SmallVector<int64_t> at = first;
      bool isReplica = false;
      int64_t rest = lane;
      for (const Digit &digit : layout.getLane()) {
        if (digit.dim >= 0)
          at[digit.dim] += rest % digit.count * digit.stride;
        else
          isReplica |= rest % digit.count != 0; // a replica stores nothing
        rest /= digit.count;
      }
      if (!isReplica) {
        int64_t byte = at[1] * tile.elementBits / 8;
        segments.insert({at[0], byte / segmentBytes});
        lines.insert({at[0], byte / costs.getLineBytes()});
        cost.bytes += cost.laneBytes;
      }
      if ((lane + 1) % together == 0 || lane + 1 == lanes) {
        touched += std::max<int64_t>(1, lines.size());
        lines.clear();
      }
    }
    cost.clocks += costs.getAddressClocks(touched);
    cost.segments += segments.size();
  }
  return cost;
}

SmallVector<FragmentAttr, 4> nstf::systolic::getStoreLayouts(FragmentAttr from, const StoredTile &tile,
                                                             int64_t waveSize) {
  SmallVector<FragmentAttr, 4> layouts;
  if (llvm::any_of(from.getWave(), [](const Digit &digit) { return digit.dim < 0; }))
    return layouts;
  int64_t rows = tile.shape[0] / getExtent(from.getWave(), 0), columns = tile.shape[1] / getExtent(from.getWave(), 1);
  int64_t sharing = tile.shape[1] / columns;
  for (bool share : {false, true}) {
    if (share && sharing == 1)
      break;
    for (int64_t bytes : {16, 8}) {
      int64_t width = std::gcd(bytes * 8 / int64_t(tile.elementBits), tile.width);
      int64_t length = share ? tile.shape[1] : columns;
      if (length % width)
        continue;
      // Consecutive lanes lie along a row. Waves that share rows interleave their rows, so that each store instruction
      // involves all of them.
      int64_t along = std::gcd(length / width, waveSize), across = waveSize / along;
      SmallVector<Digit> wave(from.getWave());
      int64_t together = across;
      for (Digit &digit : wave)
        if (share && digit.dim == 1) {
          digit = {0, digit.count, together};
          together *= digit.count;
        }
      if (rows % together)
        continue;
      Digit reg[] = {{1, width, 1}, {1, length / (width * along), width * along}, {0, rows / together, together}};
      Digit lane[] = {{1, along, width}, {0, across, 1}};
      layouts.push_back(FragmentAttr::getCanonical(from.getContext(), reg, lane, wave));
    }
  }
  return layouts;
}
