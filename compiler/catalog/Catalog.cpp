// The choice of template and parameters (Catalog.h).
#include "compiler/catalog/Catalog.h"
#include "compiler/catalog/TuningTable.h"
#include "passes/nstf_to_systolic/Binding.h"
#include "templates/Templates.h"

#include <stdexcept>

using namespace mlir;
using namespace nstf;

/// A linear of one row is bound by the weights it reads once; matrix cores have nothing to reuse.
static std::string chooseTemplate(KernelOp region, int64_t tokens, std::string &reason) {
  Operation &anchor = region.getBody().front().front();
  auto linear = dyn_cast<LinearOp>(anchor);
  if (!linear)
    return getTemplateNames(region).front().str();
  RankedTensorType result = linear.getResult().getType();
  int64_t rows = result.isDynamicDim(0) ? tokens : result.getDimSize(0);
  reason = rows == 1 ? "one row: vector units; " : "up to " + std::to_string(rows) + " rows: matrix cores; ";
  return rows == 1 ? "matvec" : "matmul";
}

static std::string getTypeName(KernelOp region) {
  std::string name;
  auto isFloat = [](Type type) { return isa<FloatType>(cast<RankedTensorType>(type).getElementType()); };
  auto types = llvm::to_vector(region.getArgumentTypes());
  auto type = llvm::find_if(types, isFloat);
  if (type == types.end())
    return "i32";
  llvm::raw_string_ostream(name) << cast<RankedTensorType>(*type).getElementType();
  return name;
}

FailureOr<KernelChoice> nstf::chooseKernel(KernelOp region, int64_t tokens, const Target &target) {
  KernelChoice choice;
  choice.templateName = chooseTemplate(region, tokens, choice.reason);
  FailureOr<TemplateBinding> binding = bindTemplate(region, choice.templateName, tokens);
  if (failed(binding))
    return failure();
  std::map<std::string, int64_t> extents;
  for (const TemplateBinding::Parameter &parameter : binding->parameters)
    extents[parameter.name.str()] = parameter.value;

  std::string name = "tuning/" + target.name + "/" + choice.templateName + "/" + getTypeName(region) + ".yaml";
  if (std::optional<std::string_view> text = templateText(name)) {
    TuningTable table = parseTuning(*text, "templates/" + name);
    if (std::optional<size_t> row = table.find(extents)) {
      choice.tuning = table.rows[*row].parameters;
      choice.reason +=
          name + " row " + std::to_string(*row + 1) + " (" + table.provenance + "): " + table.rows[*row].because;
      return choice;
    }
    choice.reason += "no row of " + name + " fits: the template's defaults";
    return choice;
  }
  choice.reason += "no " + name + ": the template's defaults";
  return choice;
}
