// Rotates the residual stream (QuaRot's R1, arXiv 2404.00456). An orthogonal matrix Q spreads outlier channels over all
// others. It is folded into the matrices that write to the stream and those that read from it, so the function is the
// same in real numbers and costs nothing at run time. First the norms' weights are folded into the matrices that read
// the norms; then an RMS norm of a rotated row equals the rotated norm of the row.
#pragma once

#include "compiler/calibrate/LinearSites.h"
#include "compiler/quantize/Hadamard.h"
#include "compiler/reference/WeightReader.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace nstf::compress {

class Rotation {
public:
  /// All arguments must outlive it. Throws std::runtime_error unless only linears write to the residual stream, only
  /// RMS norms read it, and only linears read these norms.
  Rotation(mlir::ModuleOp module, const calibrate::LinearSites &found, reference::WeightReader &reader);

  /// Whether the rotation changes a site's matrix.
  bool changes(size_t site) const { return sides[site].norm || sides[site].writes; }
  bool readsResidual(size_t input) const { return bool(sides[found.inputs[input].sites.front()].norm); }

  /// Rotate a matrix, and undo it. A column to which the norm's weight gives 0 stays 0 when it is undone.
  void apply(size_t site, reference::Matrix &matrix) const;
  void undo(size_t site, reference::Matrix &matrix) const;
  /// Rotates Σ x·xᵀ of an input; only the lower triangle is used.
  void applySums(size_t input, Eigen::MatrixXd &sums) const;
  /// The same for tensors that are not the matrix of a site: embeddings, norms and biases. Precondition of `apply`:
  /// `changes`.
  bool changes(WeightOp weight) const {
    return norms.contains(weight) || tables.contains(weight) || biases.contains(weight);
  }
  void apply(WeightOp weight, reference::Matrix &numbers) const;

private:
  /// How a site is connected to the stream.
  struct Side {
    WeightOp norm; ///< whose result it reads; null: it does not read the stream
    bool writes = false;
  };

  void follow(mlir::Value value, llvm::SmallVectorImpl<mlir::Value> &stream);
  void addReaders(RmsNormOp norm);
  void addWriter(mlir::Value value);
  std::optional<size_t> findSite(mlir::Operation *op) const;
  Eigen::VectorXd readNorm(WeightOp norm) const;

  const calibrate::LinearSites &found;
  reference::WeightReader &reader;
  std::vector<Side> sides; ///< by site
  llvm::SmallPtrSet<mlir::Operation *, 4> tables, norms, biases;
  std::optional<quantize::OrthogonalMatrix> matrix;
};

} // namespace nstf::compress
