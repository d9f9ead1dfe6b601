// What it costs to store a tile as it lies, and how it would better lie.
#pragma once

#include "dialects/systolic/Systolic.h"
#include "passes/analysis/Costs.h"

namespace nstf::systolic {

/// Memory takes what a wave stores in segments of so many bytes of a row.
constexpr int64_t segmentBytes = 64;

/// A tile on its way to memory, whose last dimension runs along the rows there.
struct StoredTile {
  llvm::SmallVector<int64_t, 2> shape; ///< rows and columns
  unsigned elementBits;                ///< in memory
  int64_t width; ///< the most elements that one access may move: rows start and end at multiples of it
};

struct StoreCost {
  int64_t laneBytes = 0; ///< that an instruction stores of a lane
  int64_t segments = 0;  ///< that a wave's instructions touch, each counted for each instruction
  int64_t bytes = 0;     ///< that a wave stores
  int64_t clocks = 0;    ///< of the address unit
  /// Of the segments' bytes, those that are stored.
  int64_t bytesOfSegment() const { return bytes / segments; }
};

/// Of the first wave.
StoreCost getStoreCost(FragmentAttr layout, const StoredTile &tile, const Costs &costs);

/// Layouts in which waves store long runs of rows, 16 or 8 bytes a lane: every wave keeps the part of the tile that it
/// has in `from`; or waves that stand side by side along the columns share their rows.
llvm::SmallVector<FragmentAttr, 4> getStoreLayouts(FragmentAttr from, const StoredTile &tile, int64_t waveSize);

} // namespace nstf::systolic
