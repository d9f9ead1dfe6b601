// What it costs to move a tile between registers and an LDS array, and the swizzle with which it costs least.
//
// Found by enumeration: the lanes' addresses of every access, over the phases in which the LDS serves them
// (support/LdsPhases.h).
#pragma once

#include "dialects/systolic/Layouts.h"
#include "passes/analysis/Costs.h"

namespace nstf::systolic {

/// A tile's way to or from one buffer of an LDS array.
struct LdsTileAccess {
  support::LdsDirection direction;
  FragmentAttr layout;                 ///< of the tile
  llvm::SmallVector<int64_t, 2> shape; ///< of the array: rows and columns, or columns
  unsigned elementBits;
  bool transposed = false; ///< the tile is the array's transpose
};

/// What each instruction moves: registers that stand side by side in the array, up to 16 bytes. `swizzle` is that of
/// !systolic.lds, or null.
AccessRegisters getAccessRegisters(const LdsTileAccess &access, mlir::Attribute swizzle);

struct LdsCost {
  int64_t accesses = 0;       ///< instructions of a wave
  int64_t portClocks = 0;     ///< that they hold the LDS's port, without conflicts
  int64_t conflictClocks = 0; ///< that bank conflicts add
  /// Addresses a lane needs: two accesses share one if they lie a constant apart in every lane.
  int64_t addresses = 0;
  int64_t clocks() const { return portClocks + conflictClocks; }
};

/// Of the first wave, whose lanes' addresses the others' differ from by a constant.
LdsCost getCost(const LdsTileAccess &access, mlir::Attribute swizzle, const Costs &costs);

/// The swizzle of an array with which writing and reading take fewest clocks; of several the one that needs fewest
/// addresses, then the simplest. Null: none is better than none.
SwizzleAttr chooseSwizzle(const LdsTileAccess &write, const LdsTileAccess &read, const Costs &costs);

} // namespace nstf::systolic
