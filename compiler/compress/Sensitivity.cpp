#include "compiler/compress/Sensitivity.h"

#include "compiler/compress/WriteCheckpoint.h"
#include "support/Progress.h"

#include <stdexcept>

using namespace mlir;
using namespace nstf;
using namespace nstf::calibrate;
using namespace nstf::compress;

namespace {

/// Rounds every matrix that a format fits to that format, layer by layer.
class UniformRounding {
public:
  UniformRounding(const RoundingContext &context, const MatrixFormat &format)
      : context(context), scales(context, getFormats(context, format)), rounder(context, scales) {}

  std::shared_ptr<const Tensor> decode(size_t site) {
    choose(site);
    std::optional<quantize::Gptq> gptq;
    if (scales.getFormat(site).codes)
      gptq = rounder.factorInputs(context.found.sites[site].input);
    return rounder.decode(site, gptq ? &*gptq : nullptr);
  }

  /// The squared error of the outputs relative to their squares. Precondition: the calibration has sums.
  double getOutputError(size_t site) {
    choose(site);
    std::optional<quantize::Gptq> gptq = rounder.factorInputs(context.found.sites[site].input);
    RoundingErrors errors;
    if (scales.getFormat(site).codes) {
      errors = rounder.round(site, &*gptq, [](int64_t, ArrayRef<quantize::CodedRow>) {});
    } else {
      Eigen::MatrixXd numbers = rounder.readMatrix(site);
      reference::Matrix rounded = numbers;
      roundTo(scales.getFormat(site).numbers, {rounded.data(), size_t(rounded.size())});
      errors = measureRounding(numbers, rounded, &*gptq);
    }
    return errors.output > 0 ? std::max(0.0, errors.outputError) / errors.output : 0;
  }

private:
  void choose(size_t site) { scales.chooseLayer(context.found.inputs[context.found.sites[site].input].layer); }

  static std::vector<MatrixFormat> getFormats(const RoundingContext &context, const MatrixFormat &format) {
    std::vector<MatrixFormat> formats;
    for (const LinearSite &site : context.found.sites)
      formats.push_back(format.fits(site.getColumns()) ? format : *MatrixFormat::parse("f32"));
    return formats;
  }

  const RoundingContext &context;
  ChannelScales scales;
  MatrixRounder rounder;
};

} // namespace

Sensitivity::Sensitivity(const RoundingContext &context, const std::vector<std::vector<MatrixFormat>> &formats,
                         SensitivityMethod method, SearchRecord &record)
    : context(context), formats(formats), method(method), record(record) {}

std::string Sensitivity::getKey(size_t site, const MatrixFormat &format) const {
  return (method == SensitivityMethod::Forward ? "kl " : "error ") + context.found.sites[site].name + " " + format.name;
}

std::string Sensitivity::getKey(const std::string &layer) const {
  std::string key = "layer " + layer;
  for (size_t site : getSites(layer))
    key += " " + getSmallest(site).name;
  return key;
}

std::vector<size_t> Sensitivity::getSites(const std::string &layer) const {
  std::vector<size_t> sites;
  for (auto [i, site] : llvm::enumerate(context.found.sites))
    if (context.found.inputs[site.input].layer == layer)
      sites.push_back(i);
  return sites;
}

const MatrixFormat &Sensitivity::getSmallest(size_t site) const {
  const LinearSite &at = context.found.sites[site];
  return *llvm::min_element(formats[site], [&](const MatrixFormat &a, const MatrixFormat &b) {
    return countBytes(a, at.getRows(), at.getColumns()) < countBytes(b, at.getRows(), at.getColumns());
  });
}

Sensitivity::Work Sensitivity::getWork() const {
  Work work;
  auto add = [&](const std::string &key, size_t site) {
    ++work.all;
    if (record.find(key))
      return;
    ++work.runs;
    work.models += 1 - double(site) / double(formats.size());
  };
  if (method == SensitivityMethod::Output)
    for (const std::string &layer : context.found.layers)
      add(getKey(layer), getSites(layer).front());
  else
    for (size_t site = 0; site < formats.size(); ++site)
      for (const MatrixFormat &format : formats[site])
        add(getKey(site, format), site);
  return work;
}

void Sensitivity::measureRuns(TextRunner &runner, const Texts &texts, const std::vector<Tensor> &logits) {
  const std::vector<LinearSite> &sites = context.found.sites;
  std::map<std::string, UniformRounding> roundings;
  std::vector<std::vector<MatrixFormat>> left(sites.size());
  llvm::DenseMap<Operation *, size_t> siteOf;
  for (auto [i, site] : llvm::enumerate(sites)) {
    siteOf[site.op] = i;
    for (const MatrixFormat &format : formats[i])
      if (!record.find(getKey(i, format))) {
        left[i].push_back(format);
        roundings.try_emplace(format.name, context, format);
      }
  }
  support::Progress progress("measuring each matrix alone", "matrices", sites.size());
  auto getBranches = [&](LinearOp op) {
    std::vector<TextRunner::ReplaceMatrix> branches;
    if (auto site = siteOf.find(op); site != siteOf.end()) {
      for (const MatrixFormat &format : left[site->second])
        branches.push_back([op, matrix = roundings.at(format.name).decode(site->second)](LinearOp other) {
          return other == op ? matrix : nullptr;
        });
      progress.add();
    }
    return branches;
  };
  runner.runBranches(texts, getBranches, [&](LinearOp op, size_t branch, const std::vector<Tensor> &compared) {
    size_t site = siteOf.at(op);
    record.add(getKey(site, left[site][branch]), {compareLogits(texts, logits, compared).kl});
  });
}

void Sensitivity::measureLayers(TextRunner &runner, const Texts &texts, const std::vector<Tensor> &logits) {
  const std::vector<LinearSite> &sites = context.found.sites;
  std::map<std::string, UniformRounding> roundings;
  llvm::DenseMap<Operation *, std::string> beginsLayer;
  support::Progress progress("measuring errors of outputs", "matrices", sites.size());
  for (size_t site = 0; site < sites.size(); ++site, progress.add())
    for (const MatrixFormat &format : formats[site]) {
      auto rounding = roundings.try_emplace(format.name, context, format).first;
      if (std::string key = getKey(site, format); !record.find(key))
        record.add(key, {rounding->second.getOutputError(site)});
    }
  for (const std::string &layer : context.found.layers)
    if (!record.find(getKey(layer)))
      beginsLayer[sites[getSites(layer).front()].op] = layer;
  auto getBranches = [&](LinearOp op) {
    std::vector<TextRunner::ReplaceMatrix> branches;
    if (auto layer = beginsLayer.find(op); layer != beginsLayer.end()) {
      llvm::DenseMap<Operation *, std::shared_ptr<const Tensor>> matrices;
      for (size_t site : getSites(layer->second))
        matrices[sites[site].op] = roundings.at(getSmallest(site).name).decode(site);
      branches.push_back([matrices](LinearOp other) { return matrices.lookup(other); });
    }
    return branches;
  };
  runner.runBranches(texts, getBranches, [&](LinearOp op, size_t, const std::vector<Tensor> &compared) {
    record.add(getKey(beginsLayer.at(op)), {compareLogits(texts, logits, compared).kl});
  });
}

std::vector<std::vector<MatrixCost>> Sensitivity::measure(TextRunner &runner, const Texts &texts,
                                                          const std::vector<Tensor> &logits) {
  auto get = [&](const std::string &key) { return record.find(key)->front(); };
  if (method == SensitivityMethod::Forward)
    measureRuns(runner, texts, logits);
  else
    measureLayers(runner, texts, logits);
  std::map<std::string, double> ofError; // KL per relative error, by layer
  if (method == SensitivityMethod::Output)
    for (const std::string &layer : context.found.layers) {
      double errors = 0;
      for (size_t site : getSites(layer))
        errors += get(getKey(site, getSmallest(site)));
      ofError[layer] = errors > 0 ? get(getKey(layer)) / errors : 0;
    }
  std::vector<std::vector<MatrixCost>> costs(formats.size());
  for (auto [i, site] : llvm::enumerate(context.found.sites))
    for (const MatrixFormat &format : formats[i])
      costs[i].push_back(
          {format, countBytes(format, site.getRows(), site.getColumns()),
           get(getKey(i, format)) *
               (method == SensitivityMethod::Output ? ofError.at(context.found.inputs[site.input].layer) : 1)});
  return costs;
}
