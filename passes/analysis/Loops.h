// An MLIR analysis of the loops of a systolic.kernel, computed once and preserved by passes that change no loop.
//
//   for (const ProductLoop &loop : getAnalysis<LoopAnalysis>().getLoops())
//     if (loop.isSumOfProducts()) …
//
// The analysis only provides facts; each pass checks those that it needs.
#pragma once

#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

#include <optional>
#include <string>
#include <vector>

namespace nstf::systolic {

/// Number of rounds of a loop of constant step, if known. If the loop's end is a choice between a constant and no
/// rounds, it is the number for the constant.
std::optional<int64_t> countRounds(mlir::scf::ForOp loop);

/// The operations in the loop's body that a value depends on, including the one that defines it.
llvm::SetVector<mlir::Operation *> findSlice(mlir::Value value, mlir::scf::ForOp loop);

/// A product in the body of a loop.
struct LoopProduct {
  MmaOp mma;
  ReadOp a, b;                       ///< the LDS reads of its operands; null: an operand has another source
  std::optional<unsigned> sum;       ///< the loop-carried sum that it is added to, which has no other use
  llvm::SmallVector<unsigned> chain; ///< the loop's products whose results its operands depend on
};

/// A write to LDS, and the loads that its tile depends on.
struct LoopWrite {
  WriteOp write;
  llvm::SmallVector<LoadOp> loads;
};

/// A load whose tile goes to a product, or to computations of its operands, without LDS.
struct LoopDirectLoad {
  LoadOp load;
  /// The last of the loop's products that uses the tile, directly or through computations; if none does, the loop's
  /// last product.
  unsigned product;
};

/// A loop with products in its body, or in overlaps in its body.
struct ProductLoop {
  mlir::scf::ForOp loop;
  std::optional<int64_t> begin, step; ///< of the induction variable, if constant
  /// The upper bound, if constant. If the bound is a choice between a constant and the lower bound, it is that
  /// constant.
  std::optional<int64_t> end;
  std::optional<int64_t> blocks; ///< number of rounds, if all three are known
  /// Products that are terms of sums first, in the order of the sums; then the others in the order of the body.
  llvm::SmallVector<LoopProduct> products;
  int64_t depth = 0;               ///< size of each product along K; 0: the sizes differ
  llvm::SmallVector<LoadOp> loads; ///< in the body, like all members below
  llvm::SmallVector<LoopWrite> writes;
  llvm::SmallVector<StageOp> stages; ///< copies to LDS that bypass the registers
  llvm::SmallVector<LoopDirectLoad> directLoads;
  /// Loads, and computations that do not depend on products; in order.
  llvm::SmallVector<mlir::Operation *> loading;

  explicit ProductLoop(mlir::scf::ForOp loop);

  /// Whether all loop-carried values are sums of its products, so that rounds of zeros change nothing.
  bool isSumOfProducts() const;
  /// Whether the sums begin with 0, so that they can be computed in parts.
  bool beginsWithZero() const;
  /// Empty, or the reason why the loop does more than add up products of tiles that it loads through LDS:
  std::string findMoreThanSums() const;
  /// The number of tiles that it loads: those of the writes, then those without LDS.
  size_t countTiles() const { return writes.size() + directLoads.size(); }
  llvm::ArrayRef<LoadOp> getLoads(size_t tile) const {
    return tile < writes.size() ? llvm::ArrayRef(writes[tile].loads) : directLoads[tile - writes.size()].load;
  }
  /// Whether a tile that is written to LDS depends on results of the round before.
  bool writesOfRoundBefore() const;
  /// Empty, or the reason why a tile cannot be loaded in an earlier round.
  std::string findObstacleToLoadingAhead(size_t tile) const;

  /// How many columns before the loop's induction variable a load begins, if the distance is constant.
  std::optional<int64_t> getColumnsBefore(LoadOp load) const;
  /// Whether a block's rows of a loaded tile are halves of cache lines of `lineBytes` bytes. If two blocks are loaded
  /// at once, each line is then requested from the L2 once.
  bool isHalfOfLine(LoadOp load, int64_t lineBytes) const;
};

class LoopAnalysis {
public:
  explicit LoopAnalysis(mlir::Operation *kernel);
  /// Inner loops first.
  llvm::ArrayRef<ProductLoop> getLoops() const { return loops; }
  /// Products outside of loops.
  llvm::ArrayRef<MmaOp> getLoneProducts() const { return loneProducts; }

private:
  std::vector<ProductLoop> loops;
  llvm::SmallVector<MmaOp> loneProducts;
};

/// The last of the products whose sum a tile is, also across loops and overlaps; null if the tile is anything else.
MmaOp findLastProduct(mlir::Value tile);

} // namespace nstf::systolic
