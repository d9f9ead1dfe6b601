// Chooses templates and parameters (Catalog.h).
#include "compiler/catalog/Catalog.h"
#include "compiler/catalog/TuningTable.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "passes/nstf_to_systolic/CodeProduct.h"
#include "support/ElementType.h"
#include "support/Escape.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <stdexcept>

using namespace mlir;
using namespace nstf;

/// Reads and parses a required file.
template <typename Parse> static auto read(const TemplateFiles &files, const std::string &name, Parse parse) {
  std::optional<std::string_view> text = files.find(name);
  if (!text)
    throw std::runtime_error("expected templates/" + name + " but there is none");
  return parse(*text, files.getPath(name));
}

std::vector<std::pair<int64_t, int64_t>> nstf::getTokenBuckets(int64_t maxTokens, const TemplateFiles &files) {
  std::vector<TokenBucket> shipped = read(files, "tuning/buckets.yaml", parseBuckets);
  shipped.push_back({maxTokens, ""});
  std::vector<std::pair<int64_t, int64_t>> buckets;
  int64_t first = 1;
  for (const TokenBucket &bucket : shipped) {
    int64_t last = std::min(bucket.max, maxTokens);
    if (first <= last)
      buckets.push_back({first, last});
    first = last + 1;
  }
  return buckets;
}

/// The rows of the result of the kernel's anchor.
static int64_t getRows(KernelOp kernel, int64_t tokens) {
  auto type = cast<RankedTensorType>(kernel.getAnchor()->getResult(0).getType());
  return type.isDynamicDim(0) ? tokens : type.getDimSize(0);
}

/// The rules for an operation: the user's own, then the shipped ones if the operation has several templates.
static std::vector<TemplateRule> readRules(const TemplateFiles &files, const std::string &operation, bool hasSeveral) {
  const std::string name = "tuning/templates.yaml";
  std::vector<TemplateRule> rules;
  if (files.isOwn(name))
    rules = read(files, name, parseTemplateRules)[operation];
  if (hasSeveral)
    llvm::append_range(rules, read(TemplateFiles::getShipped(), name, parseTemplateRules)[operation]);
  return rules;
}

static std::map<std::string, int64_t> getExtents(const TemplateBinding &binding, int64_t tokens) {
  std::map<std::string, int64_t> extents;
  for (const TemplateBinding::Parameter &parameter :
       llvm::concat<const TemplateBinding::Parameter>(binding.parameters, binding.facts))
    extents[parameter.name.str()] = parameter.getValue(tokens);
  return extents;
}

/// Whether a rule holds. `bind` returns the kernel's binding to a template, or null if the kernel can't have it.
static bool holds(const TemplateRule &rule, int64_t rows, int64_t tokens, StringRef templateName,
                  function_ref<const TemplateBinding *(const std::string &)> bind) {
  if (rows < rule.rows.first || rule.rows.second < rows)
    return false;
  if (rule.ranges.empty())
    return true;
  const TemplateBinding *binding = bind(templateName.str());
  if (!binding)
    return false;
  std::map<std::string, int64_t> extents = getExtents(*binding, tokens);
  for (const auto &[name, range] : rule.ranges)
    if (!extents.contains(name.substr(0, name.find('%'))))
      rule.place.error("expected ranges of " + llvm::join(llvm::make_first_range(extents), ", ") + " but got '" +
                       support::escape(name) + "'");
  return getMismatch(rule.ranges, extents).empty();
}

/// `bind`: as in `holds`.
static void chooseTemplate(KernelOp kernel, int64_t tokens, const TemplateFiles &files,
                           function_ref<const TemplateBinding *(const std::string &)> bind, KernelChoice &choice) {
  SmallVector<StringRef> names = getTemplateNames(kernel);
  std::string operation = kernel.getAnchor()->getName().stripDialect().str();
  std::vector<TemplateRule> rules = readRules(files, operation, names.size() > 1);
  if (names.size() == 1 && (rules.empty() || names.front() == "generic")) {
    choice.templateName = names.front().str();
    return;
  }
  int64_t rows = getRows(kernel, tokens);
  auto rule =
      llvm::find_if(rules, [&](const TemplateRule &one) { return holds(one, rows, tokens, names.front(), bind); });
  if (rule == rules.end() && names.size() == 1) {
    choice.templateName = names.front().str();
    return;
  }
  if (rule == rules.end())
    throw std::runtime_error("templates/tuning/templates.yaml: expected a template for " + operation + " of " +
                             std::to_string(rows) + " rows (" + llvm::join(names, ", ") + ") but got none");
  // A template of the user's is known only by its file.
  if (!llvm::is_contained(names, rule->templateName) && !files.isOwn("kernels/" + rule->templateName + ".mlir"))
    throw std::runtime_error(files.getPath("tuning/templates.yaml") + ": expected a template for " + operation + " (" +
                             llvm::join(names, ", ") + ", or one beside the file) but got '" +
                             support::escape(rule->templateName) + "'");
  choice.templateName = rule->templateName;
  choice.templateReason = (rows == 1 ? "one row" : "up to " + std::to_string(rows) + " rows") + ": " + rule->because;
  for (StringRef name : names)
    if (name != choice.templateName)
      choice.rejectedTemplates.push_back(name.str() + ": " + choice.templateReason);
}

static std::string getTypeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << getElementTypeOrSelf(type);
  return std::string(nameOf(*support::elementTypeFromMlir(name)));
}

std::string nstf::getTuningType(KernelOp region) {
  if (std::optional<CodeProduct> codes = findCodeProduct(region.getAnchor()))
    return getTypeName(codes->x.getType());
  for (DequantizeOp matrix : region.getBody().getOps<DequantizeOp>())
    return "int" + std::to_string(matrix.getFormat().getBits());
  if (getTemplateNames(region).front() == "generic") // generic computes in f32, whatever the type of its buffers
    return "f32";
  auto isIds = [](Type type) { return getElementTypeOrSelf(type).isInteger(32); };
  SmallVector<Type> types; // only arguments that this part of the kernel reads
  for (BlockArgument argument : region.getBody().getArguments())
    if (!argument.use_empty())
      types.push_back(argument.getType());
  auto type = llvm::find_if_not(types, isIds);
  if (type == types.end())
    return "i32";
  return getTypeName(*type);
}

std::set<std::string> nstf::getTunableParameters(const std::string &templateName, const TemplateFiles &files) {
  std::set<std::string> parameters;
  for (const std::string &name : files.list()) {
    if (!name.starts_with("tuning/") || name.find("/" + templateName + "/") == std::string::npos)
      continue;
    for (const TuningRow &row : read(files, name, parseTuning).rows)
      for (const auto &[parameter, value] : row.parameters)
        parameters.insert(parameter);
  }
  return parameters;
}

/// The error in a schedule on the target, for any kernel; empty if there is none.
static std::string findFault(const support::Schedule &schedule, const Target &target) {
  int64_t waveSize = target.waveSizes.front();
  if (schedule.waves && schedule.waves->count() * waveSize > target.maxWorkgroupSize)
    return "expected at most " + std::to_string(target.maxWorkgroupSize) + " work-items in a workgroup of " +
           target.name + " but got " + schedule.get("waves") + " waves of " + std::to_string(waveSize);
  return schedule.findFault();
}

/// The reason why a row that holds does not decide.
static std::string getReasonAgainst(const TuningRow &row, const TuningRow &decides, size_t number) {
  std::string other = "row " + std::to_string(number) + ", which holds too, ";
  return other + (decides.precedence == row.precedence ? "lies inside it"
                                                       : "has precedence " + std::to_string(decides.precedence));
}

/// Finds the row that decides, and the reasons against all other rows. Returns false if none holds.
static bool chooseTuning(KernelOp region, const std::map<std::string, int64_t> &extents, const Target &target,
                         const TemplateFiles &files, KernelChoice &choice) {
  for (const std::string &name :
       listTuningFiles({target.name, target.chip}, choice.templateName, getTuningType(region))) {
    if (!files.find(name))
      continue;
    TuningTable table = read(files, name, parseTuning);
    std::optional<size_t> row = table.find(extents);
    auto place = [&](size_t index) { return files.getShortPath(name) + " row " + std::to_string(index + 1); };
    for (size_t i = 0; i < table.rows.size(); ++i) {
      std::string mismatch = table.rows[i].getMismatch(extents);
      if (i != row)
        choice.rejectedTuning.push_back(
            place(i) + ": " +
            (mismatch.empty() ? getReasonAgainst(table.rows[i], table.rows[*row], *row + 1) : mismatch));
    }
    if (row) {
      if (std::string fault = findFault(table.rows[*row].schedule, target); !fault.empty())
        table.rows[*row].place.error(fault);
      choice.tuning = table.rows[*row].parameters;
      choice.schedule = table.rows[*row].schedule;
      choice.tuningReason = place(*row) + " (" + table.provenance + "): " + table.rows[*row].because;
      if (const std::optional<TunedTime> &tuned = table.rows[*row].tuned;
          tuned && tuned->computeUnits != target.computeUnits)
        choice.tuningReason += "; tuned for " + tuned->chip + " of " + std::to_string(tuned->computeUnits) +
                               " compute units, not " + std::to_string(target.computeUnits);
      return true;
    }
  }
  return false;
}

static std::string formatTime(const systolic::Cost &cost) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("about %.1f us", cost.microseconds);
  return text;
}

/// Chooses the fastest candidate, by the cost model, of the space that the template declares.
static void chooseByCost(const KernelCost::Space &space, KernelChoice &choice) {
  choice.tuningReason = "no row of tuning/*/" + choice.templateName + " fits: ";
  if (space.legal.empty()) {
    choice.tuningReason += "the template's defaults";
    if (space.size > 0)
      choice.tuningReason += ", for its space has no legal candidate: " + space.refusal;
    return;
  }
  const TuningCandidate &best = space.legal.front();
  choice.tuning = best.parameters;
  choice.schedule = best.schedule;
  choice.tuningReason += "by the cost model the fastest of " + std::to_string(space.legal.size()) + ", " +
                         formatTime(best.cost) + ", limited by " + best.cost.limiter;
  if (space.legal.size() > 1)
    choice.rejectedTuning.push_back(space.legal[1].str() + ": " + formatTime(space.legal[1].cost) +
                                    " by the cost model");
}

static void applyOverrides(const TuningOverrides &overrides, const Target &target, const TemplateFiles &files,
                           KernelChoice &choice) {
  if (overrides.empty())
    return;
  std::set<std::string> known = getTunableParameters(choice.templateName, files);
  for (const auto &[name, value] : choice.tuning) // parameters of the template's space, which no row may name
    known.insert(name);
  for (const auto &[name, value] : overrides.parameters) {
    if (!known.contains(name))
      throw std::runtime_error("expected a tuning parameter of template " + choice.templateName + " (" +
                               (known.empty() ? "it has none" : llvm::join(known, ", ")) +
                               ") or a field of its schedule (" + llvm::join(support::Schedule::fields, ", ") +
                               ") but got '" + support::escape(name) + "'");
    choice.tuning[name] = value;
  }
  choice.schedule.apply(overrides.schedule);
  if (std::string fault = findFault(choice.schedule, target); !fault.empty())
    throw std::runtime_error(fault);
  for (const std::string &text : overrides.getTexts())
    choice.tuningReason += "; " + text + " asked for";
}

/// With two products of the same x, a block holds two matrices. Halves the block's depth BK until a block fits the LDS.
static void fitPair(const std::map<std::string, int64_t> &extents, const Target &target, KernelChoice &choice) {
  constexpr int64_t minDepth = 32; // codes
  auto matrices = extents.find("MATRICES");
  std::map<std::string, int64_t> &tile = choice.tuning;
  if (matrices == extents.end() || matrices->second < 2 || !tile.contains("BM"))
    return;
  int64_t width = tile["BM"] + 2 * tile["BN"], depth = tile["BK"];
  while (width * depth * extents.at("BYTES") > target.ldsBytes && depth > minDepth)
    depth /= 2;
  if (depth == tile["BK"])
    return;
  tile["BK"] = depth;
  choice.tuningReason += "; BK = " + std::to_string(depth) + ", so that blocks of two matrices fit";
}

/// Up to this number of rows one matrix doesn't fill a chip, so the kernel is tuned with those beside it; for more rows
/// each matrix is tuned alone.
static constexpr int64_t maxRowsBeside = 64;

FailureOr<KernelChoice> KernelChooser::choose(int64_t tokens, const Target &target, const TuningOverrides &overrides) {
  KernelChoice choice;
  auto bind = [&](const std::string &name) -> const TemplateBinding * {
    auto binding = bindings.find(name);
    if (binding != bindings.end())
      return &binding->second;
    FailureOr<TemplateBinding> made = bindTemplate(kernel, name, maxTokens);
    return failed(made) ? nullptr : &bindings.insert({name, std::move(*made)}).first->second;
  };
  chooseTemplate(kernel, tokens, files, bind, choice);
  const TemplateBinding *binding = bind(choice.templateName);
  if (!binding)
    return failure();
  std::map<std::string, int64_t> extents = ::getExtents(*binding, tokens);
  extents["REQUESTS"] = requests;
  if (beside && tokens <= maxRowsBeside)
    extents["N"] += beside;
  if (!chooseTuning(kernel, extents, target, files, choice)) {
    FailureOr<KernelCost::Space> space = rank(choice, tokens, target);
    if (failed(space))
      return failure();
    chooseByCost(*space, choice);
  }
  fitPair(extents, target, choice);
  applyOverrides(overrides, target, files, choice);
  return choice;
}

std::map<std::string, int64_t> KernelChooser::getExtents(const KernelChoice &choice, int64_t tokens) const {
  return ::getExtents(bindings.at(choice.templateName), tokens);
}

FailureOr<KernelCost> KernelChooser::getCost(const KernelChoice &choice, const Target &target) {
  OwningOpRef<ModuleOp> &module = templates[choice.templateName];
  if (!module)
    module = parseTemplate(choice.templateName, kernel.getContext(), files);
  if (!module)
    return failure();
  return KernelCost(kernel, bindings.at(choice.templateName), *module->getOps<systolic::KernelOp>().begin(), target);
}

FailureOr<systolic::Cost> KernelChooser::estimate(const KernelChoice &choice, int64_t tokens, const Target &target) {
  FailureOr<KernelCost> cost = getCost(choice, target);
  if (failed(cost))
    return failure();
  return cost->estimate(tokens, choice.tuning, choice.schedule);
}

FailureOr<KernelCost::Space> KernelChooser::rank(const KernelChoice &choice, int64_t tokens, const Target &target) {
  FailureOr<KernelCost> cost = getCost(choice, target);
  if (failed(cost))
    return failure();
  return cost->rank(tokens);
}

BindingAttr KernelChooser::getBinding(const KernelChoice &choice) {
  return getBindingAttr(bindings.at(choice.templateName), kernel, choice.templateName, maxTokens, requests);
}

ChoiceAttr KernelChoice::getAttribute(MLIRContext *context) const {
  Builder builder(context);
  NamedAttrList parameters;
  for (const auto &[parameter, value] : tuning)
    parameters.set(parameter, builder.getI64IntegerAttr(value));
  auto getTexts = [&](const std::vector<std::string> &texts) {
    return builder.getStrArrayAttr(SmallVector<StringRef>(texts.begin(), texts.end()));
  };
  Attribute fields = schedule == support::Schedule() ? Attribute() : systolic::ScheduleAttr::get(context, schedule);
  return ChoiceAttr::get(context, parameters.getDictionary(context), fields, templateReason,
                         getTexts(rejectedTemplates), tuningReason, getTexts(rejectedTuning));
}

/// Checks what every later pass assumes of a template.
static LogicalResult checkTemplate(ModuleOp module, StringRef name) {
  auto kernels = module.getOps<systolic::KernelOp>();
  if (!llvm::hasSingleElement(kernels) || (*kernels.begin()).getSymName() != name)
    return module.emitError() << "expected one systolic.kernel, @" << name;
  systolic::KernelOp kernel = *kernels.begin();
  for (NamedAttribute parameter : kernel.getParams())
    if (std::string_view field = support::Schedule::getFieldInPlaceOf(parameter.getName().getValue()); !field.empty())
      return kernel.emitError() << "expected the field " << StringRef(field)
                                << " of schedule in place of the parameter but got '" << parameter.getName().getValue()
                                << "'";
  WalkResult result = module.walk([&](Operation *op) {
    if (isa<ModuleOp>(op) ||
        llvm::is_contained({"systolic", "func", "arith", "math", "scf"}, op->getName().getDialectNamespace()))
      return WalkResult::advance();
    op->emitError() << "expected operations of systolic, func, arith, math and scf in a template but got "
                    << op->getName();
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

OwningOpRef<ModuleOp> nstf::parseTemplate(const std::string &templateName, MLIRContext *context,
                                          const TemplateFiles &files) {
  std::string name = "kernels/" + templateName + ".mlir";
  std::optional<std::string_view> text = files.find(name);
  if (!text)
    throw std::runtime_error("expected a kernel template templates/" + name + " but there is none");
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(StringRef(text->data(), text->size()), context, files.getPath(name));
  if (!module || failed(checkTemplate(*module, templateName)))
    return {};
  return module;
}
