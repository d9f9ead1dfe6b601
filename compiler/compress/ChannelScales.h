// Scales of the inputs' channels, chosen layer by layer, and their other halves: in norms, and in the rows of sites.
#pragma once

#include "compiler/calibrate/Calibration.h"
#include "compiler/compress/FoldScales.h"
#include "compiler/compress/MatrixFormat.h"
#include "compiler/reference/WeightReader.h"

#include "llvm/ADT/DenseMap.h"

#include <set>

namespace nstf::compress {

enum class Rounding { Nearest, Gptq };
/// Auto: AWQ's scales, of an input whose products gain by them.
enum class ChannelScaling { Off, Auto, Awq, Smooth };

/// Scales that were searched for, by the input's name and the formats of its sites; an empty column: none. Who tries
/// many formats shares it: the search takes many times as long as rounding.
using KnownScales = std::map<std::string, Eigen::VectorXd>;

class ChannelScales {
public:
  /// Everything outlives this. `calibration` may be null where nothing is scaled; `formats` are the sites'; `known` is
  /// of this model, calibration, rounding and scaling.
  ChannelScales(const calibrate::LinearSites &found, const calibrate::Calibration *calibration,
                reference::WeightReader &reader, std::vector<MatrixFormat> formats, Rounding rounding,
                ChannelScaling scaling, KnownScales &known);

  /// Of all inputs of a layer, once: only then are the rows of its sites known.
  void chooseLayer(const std::string &layer);

  const MatrixFormat &getFormat(size_t site) const { return formats[site]; }
  quantize::Format getCodes(size_t site) const { return formats[site].getCodes(found.sites[site].getColumns()); }
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

  const calibrate::LinearSites &found;
  const calibrate::Calibration *calibration;
  reference::WeightReader &reader;
  std::vector<MatrixFormat> formats;
  Rounding rounding;
  ChannelScaling scaling;
  KnownScales &known;
  std::map<size_t, FoldTarget> folds; ///< of inputs
  std::set<std::string> chosen;       ///< layers
  std::vector<Eigen::VectorXd> rows, columns;
  llvm::DenseMap<mlir::Operation *, std::vector<double>> norms;
};

} // namespace nstf::compress
