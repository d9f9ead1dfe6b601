// Descriptions of kernels, and their graphs (KernelDescription.h).
#include "compiler/driver/KernelDescription.h"
#include "compiler/description/GraphExpansion.h"
#include "compiler/description/Parameters.h"
#include "compiler/import/Diagnose.h"
#include "compiler/import/GraphBuilder.h"
#include "compiler/import/Import.h"
#include "dialects/nstf/NSTF.h"
#include "support/DidYouMean.h"
#include "support/Escape.h"
#include "support/MappedFile.h"
#include "templates/Templates.h"

#include <algorithm>
#include <filesystem>

using namespace mlir;
using namespace nstf;
using namespace nstf::description;
using namespace nstf::import;

namespace {

constexpr llvm::StringLiteral folder = "standalone/";
/// A kernel counts elements and bytes in 32 bits.
constexpr int64_t maxElements = INT32_MAX, maxBytes = UINT32_MAX;

/// Provides the values of a description's parameters from the options.
class CommandLine final : public ParameterSource {
public:
  CommandLine(const GraphDescription &graph, const KernelDescription::Values &values) : graph(graph), values(values) {}

  ParameterValue find(const std::string &key) const override {
    auto found = values.find(key);
    if (found == values.end())
      return {};
    const std::string &text = found->second;
    std::string type = getType(key);
    int64_t integer;
    if ((type == "integer" || type == "float") && llvm::to_integer(text, integer, 10))
      return integer;
    double number;
    if (type == "float" && llvm::to_float(text, number))
      return number;
    if (type == "boolean" && (text == "true" || text == "false"))
      return text == "true";
    return text;
  }
  std::string name() const override { return "kernel " + graph.name; }

private:
  std::string getType(const std::string &key) const {
    for (const ParameterDescription &parameter : graph.parameters)
      if (llvm::is_contained(parameter.keys, key))
        return parameter.type;
    return "";
  }

  const GraphDescription &graph;
  const KernelDescription::Values &values;
};

/// Makes the number of rows static, so that no extent depends on the launch.
void fixRows(GraphDescription &graph) {
  for (TensorDescription &input : graph.inputs)
    for (Expression &extent : input.shape)
      if (extent.text() == "tokens" && graph.context)
        extent = *graph.context;
}

std::string getShape(RankedTensorType type) {
  std::string text;
  for (int64_t size : type.getShape())
    text += (text.empty() ? "" : "x") + (ShapedType::isDynamic(size) ? "?" : std::to_string(size));
  return text;
}

/// Throws for a tensor that is too large, so that later products of extents can't overflow.
void checkSize(Type type, StringRef what, int64_t rows) {
  auto tensor = cast<RankedTensorType>(type);
  int64_t elements = 1, bytes;
  bool isTooLarge = false;
  for (int64_t size : tensor.getShape())
    isTooLarge |= llvm::MulOverflow(elements, ShapedType::isDynamic(size) ? rows : size, elements);
  isTooLarge |= llvm::MulOverflow<int64_t>(elements, tensor.getElementTypeBitWidth() / 8, bytes);
  if (isTooLarge || elements > maxElements)
    throw support::InputError(what.str() + ": expected at most " + std::to_string(maxElements) + " elements but got " +
                              getShape(tensor));
  if (bytes > maxBytes)
    throw support::InputError(what.str() + ": expected at most " + std::to_string(maxBytes) + " bytes but got " +
                              std::to_string(bytes));
}

/// Removes results that are caches written in place: these are arguments already.
void dropInPlaceResults(GraphOp graph) {
  ReturnOp terminator = graph.getReturn();
  for (unsigned i = graph.getNumResults(); i-- > 0;)
    if (terminator.getValues()[i].getDefiningOp<KvAppendOp>()) {
      terminator->eraseOperand(i);
      (void)graph.eraseResult(i);
    }
}

void checkSizes(ModuleOp module) {
  GraphOp graph = *module.getOps<GraphOp>().begin();
  int64_t rows = graph.getContext();
  for (WeightOp weight : module.getOps<WeightOp>())
    checkSize(weight.getType(), weight.getSymName(), rows);
  for (StateOp state : module.getOps<StateOp>())
    checkSize(state.getType(), state.getSymName(), rows);
  for (unsigned i = 0; i < graph.getNumArguments(); ++i)
    checkSize(graph.getArgumentTypes()[i], graph.getInputName(i), rows);
  for (unsigned i = 0; i < graph.getNumResults(); ++i)
    checkSize(graph.getResultTypes()[i], graph.getOutputName(i), rows);
}

} // namespace

std::string KernelDescription::getFlag(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

std::vector<KernelDescription> KernelDescription::list() {
  std::vector<KernelDescription> kernels;
  for (std::string_view name : templateNames(folder.str()))
    kernels.push_back(
        KernelDescription(readGraphDescription(std::string(*templateText(name)), "templates/" + std::string(name))));
  return kernels;
}

KernelDescription KernelDescription::find(const std::string &name) {
  if (StringRef(name).ends_with(".mlir")) {
    KernelDescription kernel((GraphDescription()));
    kernel.moduleFile = name;
    kernel.source = std::filesystem::path(name).filename().string();
    kernel.graph.name = std::filesystem::path(name).stem().string();
    kernel.graph.about = "the graph of " + std::filesystem::path(name).filename().string();
    return kernel;
  }
  if (StringRef(name).ends_with(".yaml")) {
    KernelDescription kernel(readGraphDescription(support::readTextFile(name), name));
    kernel.source = std::filesystem::path(name).filename().string();
    return kernel;
  }
  std::vector<std::string> known;
  for (KernelDescription &kernel : list()) {
    if (kernel.getName() == name) {
      kernel.source = name;
      return std::move(kernel);
    }
    known.push_back(kernel.getName());
  }
  throw support::InputError("expected a kernel but got '" + support::escape(name, 100) + "'" +
                            support::didYouMean(name, known) + "; known are " + support::listNames(known) +
                            ", and graphs in .yaml and .mlir files");
}

std::vector<KernelOption> KernelDescription::getOptions() const {
  std::vector<KernelOption> options;
  for (const ParameterDescription &parameter : graph.parameters) {
    if (parameter.keys.empty())
      continue;
    KernelOption option{parameter.keys.front(), parameter.type, parameter.about, "", {}, false};
    if (parameter.value)
      option.fallback = parameter.value->text();
    for (const Expression &value : parameter.oneOf)
      option.oneOf.push_back(StringRef(value.text()).trim('\'').str());
    option.isRows = graph.context && graph.context->text() == parameter.name;
    options.push_back(std::move(option));
  }
  return options;
}

std::string KernelDescription::getRowsKey() const {
  for (const KernelOption &option : getOptions())
    if (option.isRows)
      return option.key;
  return "";
}

std::string KernelDescription::getInputAbout(StringRef input) const {
  for (const auto &tensors : {graph.inputs, graph.weights, graph.states})
    for (const TensorDescription &tensor : tensors)
      if (tensor.name == input)
        return tensor.about;
  return "";
}

OwningOpRef<ModuleOp> KernelDescription::makeModule(const Values &values, bool runtimeRows,
                                                    MLIRContext &context) const {
  return diagnose(&context, [&]() -> OwningOpRef<ModuleOp> {
    std::vector<KernelOption> options = getOptions();
    for (const KernelOption &option : options)
      if (option.fallback.empty() && !values.count(option.key))
        throw support::InputError("kernel " + getName() + ": expected " + getFlag(option.key) + " but got none");
    for (const auto &[key, value] : values)
      if (llvm::none_of(options, [&, &wanted = key](const KernelOption &option) { return option.key == wanted; }))
        throw support::InputError("kernel " + getName() + ": expected one of its options but got " + getFlag(key));
    OwningOpRef<ModuleOp> module = moduleFile.empty() ? buildGraph(values, runtimeRows, context)
                                                      : importMlir(moduleFile, &context, ImportOptions());
    if (!module)
      return nullptr;
    checkSizes(*module);
    dropInPlaceResults(*module->getOps<GraphOp>().begin());
    return module;
  });
}

OwningOpRef<ModuleOp> KernelDescription::buildGraph(const Values &values, bool runtimeRows,
                                                    MLIRContext &context) const {
  GraphDescription own = graph;
  if (!runtimeRows)
    fixRows(own);
  CommandLine source(own, values);
  ExpandedGraph expanded = expandGraph(own, evaluateParameters(own, &source));
  return buildModule(expanded, {"kernel", graph.name, ""}, nullptr, "", /*locateInFile=*/false, &context);
}
