#include "passes/nstf/WeightPlan.h"

#include "support/DidYouMean.h"
#include "support/Escape.h"

using namespace mlir;
using namespace nstf;
using support::YamlEntry;
using support::YamlMap;
using support::YamlValue;

llvm::DenseMap<StringAttr, int64_t> nstf::countReaders(GraphOp graph) {
  llvm::DenseMap<StringAttr, int64_t> readers;
  for (GetOp get : graph.getBody().getOps<GetOp>())
    readers[get.getSymbolAttr().getAttr()] += std::distance(get->use_begin(), get->use_end());
  return readers;
}

std::string nstf::getMatrixName(LinearOp op, WeightOp weight, int64_t readers) {
  auto location = dyn_cast<NameLoc>(op.getLoc());
  if (readers > 1 && location)
    return location.getName().str();
  StringRef name = weight.getSymName();
  name.consume_back(".weight");
  return name.str();
}

std::vector<YamlValue> nstf::readLayers(const YamlMap &plan, const std::vector<std::string> &matrices) {
  const YamlValue &layers = plan.get("layers", "a format of each linear");
  std::vector<std::optional<YamlValue>> found(matrices.size());
  for (const YamlEntry &layer : layers.entries("a format of each linear")) {
    size_t matrix = llvm::find(matrices, layer.name) - matrices.begin();
    if (matrix == matrices.size())
      layer.place.error("expected a linear of the model but got '" + support::escape(layer.name) + "'" +
                        support::didYouMean(layer.name, matrices));
    found[matrix] = layer.value;
  }
  std::vector<YamlValue> values;
  for (auto [name, value] : llvm::zip_equal(matrices, found)) {
    if (!value)
      layers.place().error("expected a format of each linear but got none of '" + support::escape(name) + "'");
    values.push_back(*value);
  }
  return values;
}

std::vector<std::optional<WeightFormat>> nstf::readFormats(const std::string &path,
                                                           const std::vector<std::string> &matrices) {
  std::vector<std::optional<WeightFormat>> formats;
  for (const YamlValue &layer : readLayers(YamlValue::readFile(path).map("a plan"), matrices)) {
    YamlMap map = layer.map("a map with a format");
    const YamlValue &format = map.get("format", "the matrix's");
    std::string name = format.text("a format");
    formats.push_back(parseWeightFormat(name));
    if (!formats.back() && !llvm::is_contained({"f32", "f16", "bf16"}, name))
      format.fail(getWeightFormatNames() + "; or numbers, f32, f16 or bf16");
  }
  return formats;
}
