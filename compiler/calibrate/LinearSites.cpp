#include "compiler/calibrate/LinearSites.h"

#include "passes/nstf/FormedGraph.h"
#include "passes/nstf/WeightPlan.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"

#include <stdexcept>

using namespace mlir;
using namespace nstf;
using namespace nstf::calibrate;

int64_t LinearSite::getRows() const { return cast<RankedTensorType>(WeightOp(weight).getType()).getDimSize(0); }
int64_t LinearSite::getColumns() const { return cast<RankedTensorType>(WeightOp(weight).getType()).getDimSize(1); }

std::string nstf::calibrate::getLayer(StringRef name) {
  for (size_t dot = name.find('.'); dot != StringRef::npos;) {
    size_t next = name.find('.', dot + 1);
    StringRef part = name.slice(dot + 1, next);
    if (!part.empty() && llvm::all_of(part, llvm::isDigit))
      return name.take_front(next).str();
    dot = next;
  }
  return "";
}

support::ElementType nstf::calibrate::getStoredType(WeightOp weight) {
  std::optional<SourceAttr> source = weight.getSource();
  std::string type;
  if (source)
    llvm::raw_string_ostream(type) << source->getStoredType();
  return support::elementTypeFromMlir(type).value_or(support::ElementType::F32);
}

LinearSites nstf::calibrate::findLinearSites(ModuleOp module) {
  FailureOr<GraphOp> graph = getGraph(module);
  if (failed(graph))
    throw std::runtime_error("expected a module with one graph");
  SymbolTable symbols(module);
  llvm::DenseMap<StringAttr, int64_t> readers = countReaders(*graph);
  LinearSites found;
  llvm::DenseMap<Value, size_t> inputs;
  for (LinearOp op : graph->getBody().getOps<LinearOp>()) {
    auto get = op.getW().getDefiningOp<GetOp>();
    auto weight = get ? symbols.lookup<WeightOp>(get.getSymbol()) : WeightOp();
    if (!weight || weight.getGenerator() || weight.getPlane() ||
        !isa<FloatType>(cast<RankedTensorType>(weight.getType()).getElementType()))
      continue;
    std::string name = getMatrixName(op, weight, readers[weight.getSymNameAttr()]);
    auto [input, isNew] = inputs.try_emplace(op.getX(), found.inputs.size());
    if (isNew) {
      std::string layer = getLayer(name);
      found.inputs.push_back({name, layer.empty() ? name : layer, op.getX(), 0, {}});
      if (!llvm::is_contained(found.layers, found.inputs.back().layer))
        found.layers.push_back(found.inputs.back().layer);
    }
    SiteInput &reads = found.inputs[input->second];
    reads.sites.push_back(found.sites.size());
    found.sites.push_back({name, op, weight, input->second});
    reads.columns = found.sites.back().getColumns();
  }
  if (found.sites.empty())
    throw std::runtime_error("expected a model with linears whose weights are numbers but it has none");
  return found;
}
