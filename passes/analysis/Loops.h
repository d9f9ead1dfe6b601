// What the loops of a kernel do: an MLIR analysis of systolic.kernel, computed once and kept by passes that change no
// loop.
//
//   for (const ProductLoop &loop : getAnalysis<LoopAnalysis>().getLoops())
//     if (loop.isSumOfProducts()) …
//
// It tells facts; which of them a pass needs, the pass asks for.
#pragma once

#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

#include <optional>
#include <string>
#include <vector>

namespace nstf::systolic {

/// Rounds of a loop of constant step, where they are known; a loop whose end is a choice between that many and none has
/// them too.
std::optional<int64_t> countRounds(mlir::scf::ForOp loop);

/// What a value of the loop's body is made of there, its own operation included.
llvm::SetVector<mlir::Operation *> findSlice(mlir::Value value, mlir::scf::ForOp loop);

/// A product in the body of a loop.
struct LoopProduct {
  MmaOp mma;
  ReadOp a, b;                       ///< the reads of LDS that its operands are; null: they come otherwise
  std::optional<unsigned> sum;       ///< the carried value that it is a term of, which nothing else touches
  llvm::SmallVector<unsigned> chain; ///< the loop's products whose results go into its operands
};

/// What is written to LDS, and the loads that it is made of.
struct LoopWrite {
  WriteOp write;
  llvm::SmallVector<LoadOp> loads;
};

/// What memory gives to products, or to what is made of them, past LDS.
struct LoopDirectLoad {
  LoadOp load;
  /// The last of the loop's products that wants it, by way of what is computed alone; where none does, the last one.
  unsigned product;
};

/// A loop with products in its body, or in the overlaps there.
struct ProductLoop {
  mlir::scf::ForOp loop;
  std::optional<int64_t> begin, step; ///< of the induction variable, where they are constants
  /// Where it ends; of a loop whose end is a choice between a constant and its begin, that constant.
  std::optional<int64_t> end;
  std::optional<int64_t> blocks; ///< rounds, where all three are known
  /// Terms of sums first, in the order of these; then the others as they stand.
  llvm::SmallVector<LoopProduct> products;
  int64_t depth = 0;               ///< of each product along K; 0: they differ
  llvm::SmallVector<LoadOp> loads; ///< in the body, as all that follows
  llvm::SmallVector<LoopWrite> writes;
  llvm::SmallVector<StageOp> stages; ///< what goes to LDS past the registers
  llvm::SmallVector<LoopDirectLoad> directLoads;
  /// Loads, and what is computed without products; in order.
  llvm::SmallVector<mlir::Operation *> loading;

  explicit ProductLoop(mlir::scf::ForOp loop);

  /// Whether it carries nothing but sums of its products, so that rounds of zeros change nothing.
  bool isSumOfProducts() const;
  /// Whether the sums begin with 0, so that they can be made in parts.
  bool beginsWithZero() const;
  /// Empty, or what the loop does beside adding up products of what it loads through LDS:
  /// for k iter(sums) { loads; barrier; writes, stages and a wait for them; barrier; reads; products }.
  std::string findMoreThanSums() const;
  /// The tiles that it loads: of each write, then past LDS.
  size_t countTiles() const { return writes.size() + directLoads.size(); }
  llvm::ArrayRef<LoadOp> getLoads(size_t tile) const {
    return tile < writes.size() ? llvm::ArrayRef(writes[tile].loads) : directLoads[tile - writes.size()].load;
  }
  /// Whether what is written to LDS hangs on what the round before made.
  bool writesOfRoundBefore() const;
  /// Empty, or what keeps a tile from being loaded in an earlier round.
  std::string findObstacleToLoadingAhead(size_t tile) const;

  /// So many columns before the loop's own a load begins, where it is that but for a constant.
  std::optional<int64_t> getColumnsBefore(LoadOp load) const;
  /// Whether the rows that a block has of a loaded tile are halves of lines of so many bytes: loaded by two blocks at
  /// once, the L2 is asked for each line once.
  bool isHalfOfLine(LoadOp load, int64_t lineBytes) const;
};

class LoopAnalysis {
public:
  explicit LoopAnalysis(mlir::Operation *kernel);
  /// Inner loops first.
  llvm::ArrayRef<ProductLoop> getLoops() const { return loops; }
  /// Products that are in no loop's body.
  llvm::ArrayRef<MmaOp> getLoneProducts() const { return loneProducts; }

private:
  std::vector<ProductLoop> loops;
  llvm::SmallVector<MmaOp> loneProducts;
};

/// The last of the products that a tile is the sum of, whatever loops and overlaps these stand in; null where the tile
/// is anything else.
MmaOp findLastProduct(mlir::Value tile);

} // namespace nstf::systolic
