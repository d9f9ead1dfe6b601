#include "compiler/compress/RangeFault.h"

#include "compiler/calibrate/FiniteWeights.h"

#include <cstdio>

using namespace mlir;
using namespace nstf;
using namespace nstf::calibrate;
using namespace nstf::compress;
using support::ElementType;

ElementType nstf::compress::getProductType(ModuleOp module) {
  auto facts = module->getAttrOfType<DictionaryAttr>(NSTFDialect::modelAttributeName);
  auto dtype = facts ? facts.getAs<StringAttr>("dtype") : StringAttr();
  return dtype && dtype == "bfloat16" ? ElementType::BF16 : ElementType::F16;
}

std::string nstf::compress::findRangeFault(const RoundingContext &context, size_t site, ElementType type) {
  if (type != ElementType::F16)
    return "";
  constexpr double largest = 65504, margin = 4;
  const LinearSite &at = context.found.sites[site];
  double weights = readFinite(context.reader, at.weight)->values.cwiseAbs().maxCoeff();
  double inputs = context.calibration->getLargest(context.found.inputs[at.input]).maxCoeff();
  if (std::max(weights, inputs) * margin < largest)
    return "";
  char text[96];
  std::snprintf(text, sizeof text, "%s reach %.2g, %s f16 (65504)", inputs >= weights ? "activations" : "weights",
                std::max(inputs, weights), std::max(inputs, weights) > largest ? "past" : "near the end of");
  return text;
}
