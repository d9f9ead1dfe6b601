#include "compiler/calibrate/Sensitivity.h"

#include "compiler/calibrate/WriteCheckpoint.h"
#include "support/Progress.h"

using namespace mlir;
using namespace nstf;
using namespace nstf::calibrate;

namespace {

/// All matrices that a format fits in that format, layer after layer.
class UniformRounding {
public:
  UniformRounding(const RoundingContext &context, const MatrixFormat &format)
      : context(context), scales(context.found, context.calibration, context.reader, getFormats(context, format),
                                 context.rounding, context.scaling, context.known),
        rounder(context.found, context.calibration, context.reader, scales, context.rounding) {}

  std::shared_ptr<const Tensor> decode(size_t site) {
    size_t input = context.found.sites[site].input;
    scales.chooseLayer(context.found.inputs[input].layer);
    std::optional<compress::Gptq> gptq;
    if (scales.getFormat(site).codes)
      gptq = rounder.factorInputs(input);
    return rounder.decode(site, gptq ? &*gptq : nullptr);
  }

private:
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

std::vector<std::vector<MatrixCost>>
nstf::calibrate::measureSensitivity(const RoundingContext &context, TextRunner &runner, const Texts &texts,
                                    const std::vector<Tensor> &logits,
                                    const std::vector<std::vector<MatrixFormat>> &formats) {
  const std::vector<LinearSite> &sites = context.found.sites;
  std::map<std::string, UniformRounding> roundings;
  std::vector<std::vector<MatrixCost>> costs(sites.size());
  llvm::DenseMap<Operation *, size_t> siteOf;
  for (auto [i, site] : llvm::enumerate(sites)) {
    siteOf[site.op] = i;
    for (const MatrixFormat &format : formats[i])
      roundings.try_emplace(format.name, context, format);
  }
  support::Progress progress("measuring each matrix alone", "matrices", sites.size());
  auto getVariants = [&](LinearOp op) {
    std::vector<std::shared_ptr<const Tensor>> variants;
    if (auto site = siteOf.find(op); site != siteOf.end()) {
      for (const MatrixFormat &format : formats[site->second])
        variants.push_back(roundings.at(format.name).decode(site->second));
      progress.add();
    }
    return variants;
  };
  runner.runVariants(texts, getVariants, [&](LinearOp op, size_t variant, const std::vector<Tensor> &compared) {
    size_t site = siteOf.at(op);
    const MatrixFormat &format = formats[site][variant];
    costs[site].push_back({format, countBytes(format, sites[site].getRows(), sites[site].getColumns()),
                           compareLogits(texts, logits, compared).kl});
  });
  return costs;
}
