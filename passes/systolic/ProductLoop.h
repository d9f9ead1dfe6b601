// A loop that does nothing but add up products of what it loads.
#pragma once

#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <optional>
#include <string>

namespace nstf::systolic {

/// Where a loop ends, where that is known; of a loop whose end is a choice between a constant and its begin, that
/// constant.
std::optional<int64_t> getEnd(mlir::scf::ForOp loop);

/// Rounds of a loop of constant step, where they are known; a loop whose end is a choice between that many and none has
/// them too.
std::optional<int64_t> countRounds(mlir::scf::ForOp loop);

struct Product {
  MmaOp mma;
  ReadOp a, b;
};

/// for k iter(sums) { loads; barrier; writes to LDS, stages and a wait for them; barrier; reads; products; yield their
/// results }, as systolic-stage-operands leaves it. Rounds of nothing but zeros may be added to it.
struct ProductLoop {
  mlir::scf::ForOp loop;
  llvm::SmallVector<mlir::Operation *> loading; ///< loads, and what is computed for and from them, in order
  llvm::SmallVector<WriteOp> writes;
  llvm::SmallVector<StageOp> stages;   ///< what goes to LDS past the registers
  llvm::SmallVector<Product> products; ///< one for each carried sum
  int64_t blockStep = 0;               ///< of the induction variable
  int64_t depth = 0;                   ///< of a block's products, along K
  std::optional<int64_t> blocks;       ///< countRounds

  /// Empty, or what keeps the loop from being one.
  std::string match(mlir::scf::ForOp candidate);
};

} // namespace nstf::systolic
