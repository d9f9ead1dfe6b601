// A tile that goes to another layout part by part, because the LDS between holds no more of it at once.
#pragma once

#include "dialects/systolic/Systolic.h"

namespace nstf::systolic {

/// Which part of a tile a round moves: of each dimension the elements whose digit has the round's value. Both layouts
/// hold these digits in registers, so that in every round all lanes have something to do. Empty where one round does.
using RoundDigits = llvm::SmallVector<Digit, 2>;

/// The rounds that move a tile of `shape` from one layout to the other by parts of the shape `part`; nothing where
/// there are none.
std::optional<RoundDigits> findRounds(FragmentAttr from, FragmentAttr to, llvm::ArrayRef<int64_t> shape,
                                      llvm::ArrayRef<int64_t> part);
/// Those of a conversion that names arrays.
std::optional<RoundDigits> findRounds(ConvertLayoutOp op);

/// What a layout is of a part: where its elements are, if those of the other rounds are left out and the rest closes
/// up, and for each round the registers that hold them.
struct RoundLayout {
  FragmentAttr part;
  llvm::SmallVector<llvm::SmallVector<int64_t>> registers;
};
RoundLayout splitIntoRounds(FragmentAttr layout, llvm::ArrayRef<Digit> rounds, unsigned rank);

} // namespace nstf::systolic
