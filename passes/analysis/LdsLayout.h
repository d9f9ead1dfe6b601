// The cost of moving a tile between registers and an LDS array, and the swizzle of least cost.
//
// Both are found by enumerating the lanes' addresses of every access over the phases in which the LDS serves them
// (support/LdsPhases.h).
#pragma once

#include "dialects/systolic/Layouts.h"
#include "passes/analysis/Costs.h"

namespace nstf::systolic {

/// The access of a tile to one buffer of an LDS array.
struct LdsTileAccess {
  support::LdsDirection direction;
  FragmentAttr layout;                 ///< of the tile
  llvm::SmallVector<int64_t, 2> shape; ///< of the array: rows and columns, or columns
  unsigned elementBits;
  bool transposed = false; ///< the tile is the array's transpose
};

/// The registers that each instruction moves: adjacent in the array, up to 16 bytes. `swizzle` is that of
/// !systolic.lds, or null.
AccessRegisters getAccessRegisters(const LdsTileAccess &access, mlir::Attribute swizzle);

struct LdsCost {
  int64_t accesses = 0;       ///< instructions of a wave
  int64_t portClocks = 0;     ///< clocks for which they occupy the LDS port, without conflicts
  int64_t conflictClocks = 0; ///< additional clocks of bank conflicts
  /// Address registers of a lane: two accesses share one if their addresses differ by the same constant in every lane.
  int64_t addresses = 0;
  int64_t clocks() const { return portClocks + conflictClocks; }
};

/// The cost of the first wave; the lanes' addresses of other waves differ from it by a constant.
LdsCost getCost(const LdsTileAccess &access, mlir::Attribute swizzle, const Costs &costs);

/// The swizzle of an array for which writing and reading take the fewest clocks; among equals the one that needs the
/// fewest addresses, then the simplest. Null: no swizzle improves the cost.
SwizzleAttr chooseSwizzle(const LdsTileAccess &write, const LdsTileAccess &read, const Costs &costs);

} // namespace nstf::systolic
