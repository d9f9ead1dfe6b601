// The residual stream rotated (QuaRot's R1, arXiv 2404.00456): an orthogonal matrix Q, folded into what writes to it
// and what reads of it, spreads channels that stand out over all others. The same function in real numbers, and nothing
// at run time. Norms' weights are folded into their readers first: then a norm of RMS gives the rotated row of a
// rotated one.
#pragma once

#include "compiler/calibrate/LinearSites.h"
#include "compiler/quantize/Hadamard.h"
#include "compiler/reference/WeightReader.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace nstf::compress {

class Rotation {
public:
  /// Both outlive this. Throws std::runtime_error where something else than linears writes to the residual stream, or
  /// than norms of RMS with linears behind them reads of it.
  Rotation(mlir::ModuleOp module, const calibrate::LinearSites &found, reference::WeightReader &reader);

  /// Whether a matrix becomes another one.
  bool changes(size_t site) const { return sides[site].norm || sides[site].writes; }
  bool readsResidual(size_t input) const { return bool(sides[found.inputs[input].sites.front()].norm); }

  /// A matrix as the rotated model has it, and back: a column that its norm takes to 0 comes back as 0.
  void apply(size_t site, reference::Matrix &matrix) const;
  void undo(size_t site, reference::Matrix &matrix) const;
  /// Σ x·xᵀ of an input, of which the lower triangle counts.
  void applySums(size_t input, Eigen::MatrixXd &sums) const;
  /// The same of what is no matrix of a site: embeddings, norms and biases. Precondition of `apply`: it changes.
  bool changes(WeightOp weight) const {
    return norms.contains(weight) || tables.contains(weight) || biases.contains(weight);
  }
  void apply(WeightOp weight, reference::Matrix &numbers) const;

private:
  /// How a site stands to the stream.
  struct Side {
    WeightOp norm; ///< of what it reads; null: it reads something else
    bool writes = false;
  };

  void follow(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &stream);
  void addReaders(RmsNormOp norm);
  void addWriter(mlir::Value value);
  std::optional<size_t> findSite(mlir::Operation *op) const;
  Eigen::VectorXd readNorm(WeightOp norm) const;

  const calibrate::LinearSites &found;
  reference::WeightReader &reader;
  std::vector<Side> sides; ///< of sites
  llvm::SmallPtrSet<mlir::Operation *, 4> tables, norms, biases;
  std::optional<quantize::OrthogonalMatrix> matrix;
};

} // namespace nstf::compress
