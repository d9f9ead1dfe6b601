// The cost of storing a tile in its layout, and better layouts for the store.
#pragma once

#include "dialects/systolic/Systolic.h"
#include "passes/analysis/Costs.h"

namespace nstf::systolic {

/// Memory receives a wave's stores in segments of this size of a row.
constexpr int64_t segmentBytes = 64;

/// A tile that is stored to memory; its last dimension runs along the rows there.
struct StoredTile {
  llvm::SmallVector<int64_t, 2> shape; ///< rows and columns
  unsigned elementBits;                ///< in memory
  int64_t width; ///< upper limit of the elements of one access: rows start and end at multiples of it
};

struct StoreCost {
  int64_t laneBytes = 0; ///< bytes of a lane that an instruction stores
  int64_t segments = 0;  ///< segments that a wave's instructions touch, counted for each instruction
  int64_t bytes = 0;     ///< bytes that a wave stores
  int64_t clocks = 0;    ///< of the address unit
  /// Stored bytes of each segment.
  int64_t bytesOfSegment() const { return bytes / segments; }
};

/// The cost of the first wave.
StoreCost getStoreCost(FragmentAttr layout, const StoredTile &tile, const Costs &costs);

/// Layouts in which waves store long runs of rows, 16 or 8 bytes in each lane: either every wave keeps its part of the
/// tile in `from`, or waves that are adjacent along the columns share their rows.
llvm::SmallVector<FragmentAttr, 4> getStoreLayouts(FragmentAttr from, const StoredTile &tile, int64_t waveSize);

} // namespace nstf::systolic
