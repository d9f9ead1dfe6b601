// Scales of the inputs' channels, chosen layer by layer, and their other halves: in norms, and in the rows of sites.
#pragma once

#include "compiler/compress/FoldScales.h"
#include "compiler/compress/MatrixFormat.h"
#include "compiler/compress/RoundingContext.h"

#include "llvm/ADT/DenseMap.h"

#include <set>

namespace nstf::compress {

class ChannelScales {
public:
  /// `formats` are the sites'. Of a rotated model what reads the residual stream is not scaled: no channel stands out.
  ChannelScales(const RoundingContext &context, std::vector<MatrixFormat> formats);

  /// Of all inputs of a layer, once: only then are the rows of its sites known.
  void chooseLayer(const std::string &layer);

  const MatrixFormat &getFormat(size_t site) const { return formats[site]; }
  quantize::Format getCodes(size_t site) const {
    return formats[site].getCodes(context.found.sites[site].getColumns());
  }
  /// Of an input's columns and of a site's rows; empty: none.
  const Eigen::VectorXd &getColumns(size_t input) const { return columns[input]; }
  const Eigen::VectorXd &getRows(size_t site) const { return rows[site]; }
  /// Where the other half of an input's scales may go; null: nowhere.
  const FoldTarget *findFold(size_t input) const;
  /// The numbers of a norm's weight or bias that has a half; null: its own.
  const std::vector<double> *findNorm(WeightOp weight) const;

private:
  void choose(size_t index);
  Eigen::VectorXd search(const calibrate::SiteInput &input) const;
  Eigen::VectorXd foldIntoNorm(const FoldTarget &target, Eigen::VectorXd scales);

  RoundingContext context;
  std::vector<MatrixFormat> formats;
  std::map<size_t, FoldTarget> folds; ///< of inputs
  std::set<std::string> chosen;       ///< layers
  std::vector<Eigen::VectorXd> rows, columns;
  llvm::DenseMap<mlir::Operation *, std::vector<double>> norms;
};

} // namespace nstf::compress
