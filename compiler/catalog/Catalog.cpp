// The choice of template and parameters (Catalog.h).
#include "compiler/catalog/Catalog.h"
#include "compiler/catalog/TuningTable.h"
#include "passes/nstf_to_systolic/Binding.h"
#include "support/Escape.h"
#include "templates/Templates.h"
#include "llvm/ADT/StringExtras.h"

#include <stdexcept>

using namespace mlir;
using namespace nstf;

/// A linear of one row is bound by the weights it reads once; matrix cores have nothing to reuse.
static std::string preferTemplate(KernelOp region, int64_t tokens, std::string &reason) {
  Operation &anchor = region.getBody().front().front();
  auto linear = dyn_cast<LinearOp>(anchor);
  if (!linear)
    return getTemplateNames(region).front().str();
  RankedTensorType result = linear.getResult().getType();
  int64_t rows = result.isDynamicDim(0) ? tokens : result.getDimSize(0);
  reason = rows == 1 ? "one row: vector units" : "up to " + std::to_string(rows) + " rows: matrix cores";
  return rows == 1 ? "matvec" : "matmul";
}

static void chooseTemplate(KernelOp region, int64_t tokens, KernelChoice &choice) {
  choice.templateName = preferTemplate(region, tokens, choice.templateReason);
  for (StringRef name : getTemplateNames(region))
    if (name != choice.templateName)
      choice.rejectedTemplates.push_back(name.str() + ": " + choice.templateReason);
}

static std::string getTypeName(KernelOp region) {
  if (getTemplateNames(region).front() == "generic") // computes in f32 whatever its buffers hold
    return "f32";
  std::string name;
  auto isFloat = [](Type type) { return isa<FloatType>(cast<RankedTensorType>(type).getElementType()); };
  auto types = llvm::to_vector(region.getArgumentTypes());
  auto type = llvm::find_if(types, isFloat);
  if (type == types.end())
    return "i32";
  llvm::raw_string_ostream(name) << cast<RankedTensorType>(*type).getElementType();
  return name;
}

std::set<std::string> nstf::getTunableParameters(const std::string &templateName) {
  std::set<std::string> parameters;
  for (std::string_view name : templateNames("tuning/")) {
    if (name.find("/" + templateName + "/") == std::string_view::npos)
      continue;
    for (const TuningRow &row : parseTuning(*templateText(name), "templates/" + std::string(name)).rows)
      for (const auto &[parameter, value] : row.parameters)
        parameters.insert(parameter);
  }
  return parameters;
}

/// The first row that holds, and why those before it do not.
static void chooseTuning(KernelOp region, const std::map<std::string, int64_t> &extents, const Target &target,
                         KernelChoice &choice) {
  for (const std::string &name :
       listTuningFiles({target.name, target.chip}, choice.templateName, getTypeName(region))) {
    std::optional<std::string_view> text = templateText(name);
    if (!text)
      continue;
    TuningTable table = parseTuning(*text, "templates/" + name);
    std::optional<size_t> row = table.find(extents);
    auto place = [&](size_t index) { return name + " row " + std::to_string(index + 1); };
    for (size_t i = 0; i < row.value_or(table.rows.size()); ++i)
      choice.rejectedTuning.push_back(place(i) + ": " + table.rows[i].getMismatch(extents));
    if (row) {
      choice.tuning = table.rows[*row].parameters;
      choice.tuningReason = place(*row) + " (" + table.provenance + "): " + table.rows[*row].because;
      return;
    }
  }
  choice.tuningReason = "no row of tuning/*/" + choice.templateName + " fits: the template's defaults";
}

static void applyWishes(const std::map<std::string, int64_t> &wishes, KernelChoice &choice) {
  if (wishes.empty())
    return;
  std::set<std::string> known = getTunableParameters(choice.templateName);
  for (const auto &[name, value] : wishes) {
    if (!known.contains(name))
      throw std::runtime_error("expected a tuning parameter of template " + choice.templateName + " (" +
                               (known.empty() ? "it has none" : llvm::join(known, ", ")) + ") but got '" +
                               support::escape(name) + "'");
    choice.tuning[name] = value;
    choice.tuningReason += "; " + name + " = " + std::to_string(value) + " asked for";
  }
}

FailureOr<KernelChoice> nstf::chooseKernel(KernelOp region, int64_t tokens, const Target &target,
                                           const std::map<std::string, int64_t> &wishes) {
  KernelChoice choice;
  chooseTemplate(region, tokens, choice);
  FailureOr<TemplateBinding> binding = bindTemplate(region, choice.templateName, tokens);
  if (failed(binding))
    return failure();
  std::map<std::string, int64_t> extents;
  for (const TemplateBinding::Parameter &parameter : binding->parameters)
    extents[parameter.name.str()] = parameter.value;
  chooseTuning(region, extents, target, choice);
  applyWishes(wishes, choice);
  return choice;
}
