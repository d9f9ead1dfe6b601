#include "compiler/compress/ChannelScales.h"

#include "compiler/compress/Rotation.h"

using namespace mlir;
using namespace nstf;
using namespace nstf::calibrate;
using namespace nstf::compress;
using Eigen::MatrixXd;
using Eigen::VectorXd;

ChannelScales::ChannelScales(const RoundingContext &context, std::vector<MatrixFormat> formats)
    : context(context), formats(std::move(formats)), rows(context.found.sites.size()),
      columns(context.found.inputs.size()) {
  if (context.scaling == ChannelScaling::Off)
    return;
  const LinearSites &found = context.found;
  for (auto [i, input] : llvm::enumerate(found.inputs))
    if (std::optional<FoldTarget> target = findFoldTarget(found, input);
        // A site's rows are scaled while its layer is written, so the site must be in the same layer.
        target && !(context.rotation && context.rotation->readsResidual(i)) &&
        (!target->site || found.inputs[found.sites[*target->site].input].layer == input.layer))
      folds[i] = *target;
}

const FoldTarget *ChannelScales::findFold(size_t input) const {
  auto fold = folds.find(input);
  return fold == folds.end() ? nullptr : &fold->second;
}

const std::vector<double> *ChannelScales::findNorm(WeightOp weight) const {
  auto norm = norms.find(weight);
  return norm == norms.end() ? nullptr : &norm->second;
}

void ChannelScales::chooseLayer(const std::string &layer) {
  if (!chosen.insert(layer).second)
    return;
  for (auto [i, input] : llvm::enumerate(context.found.inputs))
    if (input.layer == layer)
      choose(i);
}

void ChannelScales::choose(size_t index) {
  const SiteInput &input = context.found.inputs[index];
  const FoldTarget *fold = findFold(index);
  if (!fold)
    return;
  std::string key = input.name;
  for (size_t site : input.sites)
    key += " " + formats[site].name;
  auto [entry, isNew] = context.known.try_emplace(key);
  if (isNew)
    entry->second = search(input);
  if (entry->second.size() == 0)
    return;
  columns[index] = fold->site ? entry->second : foldIntoNorm(*fold, entry->second);
  if (fold->site)
    rows[*fold->site] = entry->second.cwiseInverse();
}

/// Searches the scales of an input. Empty if no matrix becomes codes, or if none gains.
VectorXd ChannelScales::search(const SiteInput &input) const {
  std::vector<MatrixXd> matrices;
  std::vector<quantize::Format> codes;
  // A sample of the rows is enough; the search computes 22 products with Σ x·xᵀ.
  int64_t maxRows = std::max<int64_t>(16, (int64_t(1) << 29) / (input.columns * input.columns));
  for (size_t site : input.sites) {
    if (!formats[site].codes)
      continue; // a scale does not reduce the error of numbers
    std::shared_ptr<const reference::Tensor> weight = context.readMatrix(site);
    int64_t rows = weight->values.rows(), step = (rows + maxRows - 1) / maxRows;
    matrices.push_back(weight->values(Eigen::seq(0, rows - 1, step), Eigen::all));
    codes.push_back(getCodes(site));
  }
  if (matrices.empty())
    return {};
  quantize::InputStatistics statistics = context.calibration->getStatistics(input);
  auto readSums = [&] { return context.calibration->getSums(input); };
  VectorXd scales = context.scaling == ChannelScaling::Smooth
                        ? quantize::smoothScales(matrices, statistics)
                        : quantize::searchScales(codes, matrices, statistics, readSums());
  if (context.scaling == ChannelScaling::Auto && context.rounding == Rounding::Gptq &&
      !quantize::helpGptq(scales, codes, matrices, readSums))
    return {};
  return scales;
}

/// A norm's weights are rounded to their type. Returns the scales that the rounded weights actually have; the columns
/// compensate these.
VectorXd ChannelScales::foldIntoNorm(const FoldTarget &target, VectorXd scales) {
  std::shared_ptr<reference::Tensor> weight = context.reader.read(target.normWeight);
  std::vector<double> changed(scales.size());
  for (int64_t i = 0; i < scales.size(); ++i)
    changed[i] = weight->data()[i] / scales[i];
  roundTo(getStoredType(target.normWeight), changed);
  for (int64_t i = 0; i < scales.size(); ++i) {
    if (changed[i] == 0 || weight->data()[i] == 0)
      changed[i] = weight->data()[i];
    scales[i] = changed[i] == 0 ? 1 : weight->data()[i] / changed[i];
  }
  norms[target.normWeight] = changed;
  if (target.normBias) {
    std::shared_ptr<reference::Tensor> bias = context.reader.read(target.normBias);
    std::vector<double> &changedBias = norms[target.normBias];
    changedBias.resize(scales.size());
    for (int64_t i = 0; i < scales.size(); ++i)
      changedBias[i] = bias->data()[i] / scales[i];
    roundTo(getStoredType(target.normBias), changedBias);
  }
  return scales;
}
