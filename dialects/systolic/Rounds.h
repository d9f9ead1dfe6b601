// Layout conversions of tiles in several rounds, because the LDS array holds only a part of the tile.
#pragma once

#include "dialects/systolic/Systolic.h"

namespace nstf::systolic {

/// The part of a tile that each round moves: for each dimension, the elements whose digit has the round's value. Both
/// layouts hold these digits in registers, so every lane takes part in every round. Empty if one round suffices.
using RoundDigits = llvm::SmallVector<Digit, 2>;

/// The rounds that convert a tile of `shape` between the layouts in parts of the shape `part`; nullopt if there are
/// none.
std::optional<RoundDigits> findRounds(FragmentAttr from, FragmentAttr to, llvm::ArrayRef<int64_t> shape,
                                      llvm::ArrayRef<int64_t> part);
/// The rounds of a conversion that names arrays.
std::optional<RoundDigits> findRounds(ConvertLayoutOp op);

/// A layout that is split into rounds. `part` is the layout of the elements of one round, with contiguous coordinates;
/// it is the same for every round. `registers` lists, by round, the registers of the whole layout that hold the round's
/// elements.
struct RoundLayout {
  FragmentAttr part;
  llvm::SmallVector<llvm::SmallVector<int64_t>> registers;
};
RoundLayout splitIntoRounds(FragmentAttr layout, llvm::ArrayRef<Digit> rounds, unsigned rank);

} // namespace nstf::systolic
