// Scales for the channels of the linears' inputs, chosen layer by layer, and their inverses in norms and in rows of
// sites.
#pragma once

#include "compiler/compress/FoldScales.h"
#include "compiler/compress/MatrixFormat.h"
#include "compiler/compress/RoundingContext.h"

#include "llvm/ADT/DenseMap.h"

#include <set>

namespace nstf::compress {

class ChannelScales {
public:
  /// `formats` are those of the sites. In a rotated model, inputs from the residual stream are not scaled, since no
  /// channel has outliers.
  ChannelScales(const RoundingContext &context, std::vector<MatrixFormat> formats);

  /// Chooses the scales of all inputs of a layer. Call it once for a layer, before the rows of its sites are read.
  void chooseLayer(const std::string &layer);

  const MatrixFormat &getFormat(size_t site) const { return formats[site]; }
  quantize::Format getCodes(size_t site) const {
    return formats[site].getCodes(context.found.sites[site].getColumns());
  }
  /// Scales of an input's columns and of a site's rows; empty: none.
  const Eigen::VectorXd &getColumns(size_t input) const { return columns[input]; }
  const Eigen::VectorXd &getRows(size_t site) const { return rows[site]; }
  /// The norm or site that takes the inverse of an input's scales; null: none.
  const FoldTarget *findFold(size_t input) const;
  /// The new numbers of a norm's weight or bias that takes inverse scales; null: unchanged.
  const std::vector<double> *findNorm(WeightOp weight) const;

private:
  void choose(size_t index);
  Eigen::VectorXd search(const calibrate::SiteInput &input) const;
  Eigen::VectorXd foldIntoNorm(const FoldTarget &target, Eigen::VectorXd scales);

  RoundingContext context;
  std::vector<MatrixFormat> formats;
  std::map<size_t, FoldTarget> folds; ///< by input
  std::set<std::string> chosen;       ///< names of layers
  std::vector<Eigen::VectorXd> rows, columns;
  llvm::DenseMap<mlir::Operation *, std::vector<double>> norms;
};

} // namespace nstf::compress
