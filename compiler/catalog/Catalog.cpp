// The choice of template and parameters (Catalog.h).
#include "compiler/catalog/Catalog.h"
#include "compiler/catalog/TuningTable.h"
#include "mlir/IR/Builders.h"
#include "support/Escape.h"
#include "templates/Templates.h"
#include "llvm/ADT/StringExtras.h"

#include <stdexcept>

using namespace mlir;
using namespace nstf;

/// A file of templates/tuning, which must be there.
template <typename Parse> static auto readShipped(const std::string &name, Parse parse) {
  std::optional<std::string_view> text = templateText(name);
  if (!text)
    throw std::runtime_error("expected templates/" + name + " but there is none");
  return parse(*text, "templates/" + name);
}

std::vector<std::pair<int64_t, int64_t>> nstf::getTokenBuckets(int64_t maxTokens) {
  std::vector<TokenBucket> shipped = readShipped("tuning/buckets.yaml", parseBuckets);
  shipped.push_back({maxTokens, ""});
  std::vector<std::pair<int64_t, int64_t>> buckets;
  int64_t least = 1;
  for (const TokenBucket &bucket : shipped) {
    int64_t most = std::min(bucket.most, maxTokens);
    if (least <= most)
      buckets.push_back({least, most});
    least = most + 1;
  }
  return buckets;
}

/// The rows of what the kernel's first operation computes.
static int64_t getRows(KernelOp kernel, int64_t tokens) {
  auto type = cast<RankedTensorType>(kernel.getBody().front().front().getResult(0).getType());
  return type.isDynamicDim(0) ? tokens : type.getDimSize(0);
}

static void chooseTemplate(KernelOp kernel, int64_t tokens, KernelChoice &choice) {
  SmallVector<StringRef> names = getTemplateNames(kernel);
  if (names.size() == 1) {
    choice.templateName = names.front().str();
    return;
  }
  auto rules = readShipped("tuning/templates.yaml", parseTemplateRules);
  std::string operation = kernel.getBody().front().front().getName().stripDialect().str();
  int64_t rows = getRows(kernel, tokens);
  auto holds = [&](const TemplateRule &rule) {
    return rule.rows.first <= rows && rows <= rule.rows.second && llvm::is_contained(names, rule.templateName);
  };
  auto rule = llvm::find_if(rules[operation], holds);
  if (rule == rules[operation].end())
    throw std::runtime_error("templates/tuning/templates.yaml: expected a template for " + operation + " of " +
                             std::to_string(rows) + " rows (" + llvm::join(names, ", ") + ") but got none");
  choice.templateName = rule->templateName;
  choice.templateReason = (rows == 1 ? "one row" : "up to " + std::to_string(rows) + " rows") + ": " + rule->because;
  for (StringRef name : names)
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

FailureOr<KernelChoice> KernelChooser::choose(int64_t tokens, const Target &target,
                                              const std::map<std::string, int64_t> &wishes) {
  KernelChoice choice;
  chooseTemplate(kernel, tokens, choice);
  auto binding = bindings.find(choice.templateName);
  if (binding == bindings.end()) {
    FailureOr<TemplateBinding> made = bindTemplate(kernel, choice.templateName, maxTokens);
    if (failed(made))
      return failure();
    binding = bindings.insert({choice.templateName, std::move(*made)}).first;
  }
  std::map<std::string, int64_t> extents;
  for (const TemplateBinding::Parameter &parameter : binding->second.parameters)
    extents[parameter.name.str()] = parameter.getValue(tokens);
  chooseTuning(kernel, extents, target, choice);
  applyWishes(wishes, choice);
  return choice;
}

BindingAttr KernelChooser::getBinding(const KernelChoice &choice) {
  return getBindingAttr(bindings.at(choice.templateName), kernel, choice.templateName, maxTokens);
}

ChoiceAttr KernelChoice::getAttribute(MLIRContext *context) const {
  Builder builder(context);
  NamedAttrList parameters;
  for (const auto &[parameter, value] : tuning)
    parameters.set(parameter, builder.getI64IntegerAttr(value));
  auto getTexts = [&](const std::vector<std::string> &texts) {
    return builder.getStrArrayAttr(SmallVector<StringRef>(texts.begin(), texts.end()));
  };
  return ChoiceAttr::get(context, parameters.getDictionary(context), templateReason, getTexts(rejectedTemplates),
                         tuningReason, getTexts(rejectedTuning));
}
