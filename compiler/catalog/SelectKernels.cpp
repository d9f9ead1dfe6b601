// nstf-select-kernels: makes the kernels of the targets from the kernels of a model (Passes.td).
#include "compiler/catalog/Catalog.h"
#include "compiler/catalog/Passes.h"
#include "dialects/nstf/Target.h"
#include "mlir/IR/Remarks.h"
#include "passes/nstf/ArenaValues.h"
#include "passes/nstf_to_systolic/Binding.h"

#include <stdexcept>

namespace nstf {
#define GEN_PASS_DEF_SELECTKERNELSPASS
#include "compiler/catalog/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf;

namespace {

/// The kernels in the order in which the graph first launches them, or all kernels if there is no graph.
SmallVector<KernelOp> collectKernels(ModuleOp model) {
  auto graphs = model.getOps<GraphOp>();
  if (graphs.empty())
    return llvm::to_vector(model.getOps<KernelOp>());
  SymbolTable symbols(model);
  llvm::SetVector<Attribute> names;
  for (StepOp step : (*graphs.begin()).getBody().getOps<StepOp>())
    names.insert(step.getKernelAttr().getAttr());
  return llvm::map_to_vector(names, [&](Attribute name) { return symbols.lookup<KernelOp>(cast<StringAttr>(name)); });
}

bool isDynamic(Type type) { return !cast<RankedTensorType>(type).hasStaticShape(); }

/// Whether the number of rows of a step varies: then some input is dynamic.
bool hasTokens(ModuleOp model, ArrayRef<KernelOp> kernels) {
  for (GraphOp graph : model.getOps<GraphOp>())
    return llvm::any_of(graph.getFunctionType().getInputs(), isDynamic);
  return llvm::any_of(kernels,
                      [](KernelOp kernel) { return llvm::any_of(kernel.getFunctionType().getInputs(), isDynamic); });
}

class Selection {
public:
  Selection(ModuleOp model, const SelectKernelsPassOptions &options) : model(model), options(options) {
    if (!options.templates.empty())
      files = TemplateFiles(options.templates);
  }

  LogicalResult run() {
    FailureOr<int64_t> maxTokens = findMaxTokens();
    if (failed(maxTokens) || failed(readOverrides()))
      return failure();
    for (GraphOp graph : model.getOps<GraphOp>())
      if (graph.getArenaSize() && failed(verifyPlanned(graph, *maxTokens)))
        return failure();
    kernels = collectKernels(model);
    if (!options.symbol.empty() && kernels.size() != 1)
      return model.emitError() << "expected one kernel to be called " << options.symbol << " but got "
                               << kernels.size();
    buckets = {{1, 1}};
    if (hasTokens(model, kernels))
      buckets = options.oneBucket ? std::vector{std::pair<int64_t, int64_t>(1, *maxTokens)}
                                  : getTokenBuckets(*maxTokens, files);
    // A request must give the same bits alone and beside others, so it must not have a bucket of its own for one row.
    if ((options.batchInvariant || getMaxRequests() > 1) && buckets.size() > 1 && buckets.front().second == 1) {
      buckets.erase(buckets.begin());
      buckets.front().first = 1;
    }
    for (const std::string &name : options.targets) {
      Target target = findTarget(name);
      if (SymbolTable::lookupSymbolIn(model, target.name))
        return model.emitError() << "expected no symbol " << target.name << " but the module has one";
      auto builder = OpBuilder::atBlockEnd(model.getBody());
      auto module = ModuleOp::create(builder, model.getLoc(), target.name);
      attachTarget(module, target);
      if (failed(addVariants(module, target, *maxTokens)))
        return failure();
    }
    return success();
  }

private:
  FailureOr<int64_t> findMaxTokens() {
    auto planned = model->getAttrOfType<IntegerAttr>(NSTFDialect::maxTokensAttributeName);
    int64_t limit = planned ? planned.getInt() : INT64_MAX;
    if (!planned && options.maxTokens == 0)
      return model.emitError() << "expected " << NSTFDialect::maxTokensAttributeName
                               << " on the module or the option max-tokens but got neither";
    if (options.maxTokens < 0 || options.maxTokens > limit)
      return model.emitError() << "expected max-tokens of 1 to " << limit << " but got " << options.maxTokens;
    return options.maxTokens ? options.maxTokens : limit;
  }

  LogicalResult readOverrides() {
    for (const std::string &setting : options.tuning)
      if (std::string fault = overrides.add(setting); !fault.empty())
        return model.emitError() << "tuning: " << fault;
    return success();
  }

  /// The parts of a kernel, each as its own kernel with its chooser.
  struct Chooser {
    KernelOp kernel;
    std::vector<KernelOp::Part> parts;
    std::vector<OwningOpRef<KernelOp>> kernels;
    std::vector<KernelChooser> choosers;
  };

  /// Makes the choosers for steps of up to `maxTokens`.
  Chooser makeChooser(KernelOp kernel, int64_t maxTokens) {
    Chooser chooser{kernel, kernel.getParts(), {}, {}};
    OpBuilder builder(model.getContext());
    for (const KernelOp::Part &part : chooser.parts)
      chooser.kernels.emplace_back(kernel.clonePart(builder, part));
    for (OwningOpRef<KernelOp> &part : chooser.kernels)
      chooser.choosers.emplace_back(*part, maxTokens, files, countRowsBeside(*part, chooser.kernels),
                                    worksByRequest(*part) ? getMaxRequests() : 1);
    return chooser;
  }

  int64_t getMaxRequests() {
    auto graphs = model.getOps<GraphOp>();
    return graphs.empty() ? 1 : (*graphs.begin()).getMaxRequests();
  }

  /// Whether the kernel's code contains a number of workgroups, and so is valid for one bucket only.
  bool countsWorkgroups(const Chooser &chooser) {
    return chooser.parts.size() > 1 || (getMaxRequests() > 1 && worksByRequest(*chooser.kernels.front()));
  }

  /// The rows of other parts' matrices with the same number of columns. Together these matrices fill the chip, so they
  /// are tuned as one matrix.
  static int64_t countRowsBeside(KernelOp kernel, ArrayRef<OwningOpRef<KernelOp>> parts) {
    auto product = dyn_cast<LinearOp>(kernel.getAnchor());
    int64_t rows = 0;
    for (const OwningOpRef<KernelOp> &part : parts) {
      auto other = dyn_cast<LinearOp>(KernelOp(*part).getAnchor());
      if (product && other && other != product &&
          other.getW().getType().getDimSize(1) == product.getW().getType().getDimSize(1))
        rows += other.getW().getType().getDimSize(0);
    }
    return rows;
  }

  /// Adds variants by bucket, then by kernel; a variant of several buckets is at its first one. The code of a kernel
  /// with several parts or requests contains their numbers of workgroups, so each bucket gets its own variant.
  LogicalResult addVariants(ModuleOp module, const Target &target, int64_t maxTokens) {
    struct Made {
      std::vector<KernelChoice> choices;
      VariantOp variant;
    };
    std::vector<Chooser> choosers;
    for (KernelOp kernel : kernels)
      choosers.push_back(makeChooser(kernel, maxTokens));
    std::vector<std::vector<Made>> made(kernels.size());
    for (auto [first, last] : buckets)
      for (auto [chooser, known] : llvm::zip_equal(choosers, made)) {
        if (getMaxRequests() > 1 && countsWorkgroups(chooser))
          chooser = makeChooser(chooser.kernel, last);
        std::vector<KernelChoice> choices;
        for (KernelChooser &part : chooser.choosers) {
          FailureOr<KernelChoice> choice = part.choose(last, target, overrides);
          if (failed(choice))
            return failure();
          choices.push_back(std::move(*choice));
        }
        auto same = llvm::find_if(known, [&](const Made &other) { return other.choices == choices; });
        if (same == known.end() || countsWorkgroups(chooser)) {
          std::string name = chooser.kernel.getSymName().str() + "_t" + std::to_string(last);
          FailureOr<VariantOp> variant =
              makeVariant(module, chooser, options.symbol.empty() ? name : options.symbol, choices);
          if (failed(variant))
            return failure();
          known.push_back({std::move(choices), *variant});
          same = std::prev(known.end());
        }
        same->variant.addTokenRange(first, last);
      }
    return success();
  }

  FailureOr<VariantOp> makeVariant(ModuleOp module, Chooser &chooser, StringRef name, ArrayRef<KernelChoice> choices) {
    auto builder = OpBuilder::atBlockEnd(module.getBody());
    auto variant = VariantOp::create(builder, chooser.kernel.getLoc(), name, chooser.kernel.getSymName());
    for (auto [i, part, kernel, of, choice] :
         llvm::enumerate(chooser.parts, chooser.kernels, chooser.choosers, choices)) {
      std::string symbol = name.str() + (choices.size() > 1 ? "_part" + std::to_string(i) : "");
      builder.setInsertionPointToEnd(&variant.getBody().front());
      if (failed(addPart(builder, part.results, *kernel, symbol, of.getBinding(choice), choice)))
        return failure();
    }
    return variant;
  }

  LogicalResult addPart(OpBuilder &builder, ArrayRef<int64_t> results, KernelOp kernel, StringRef symbol,
                        BindingAttr binding, const KernelChoice &choice) {
    ModuleOp text = parseTemplate(choice.templateName);
    if (!text)
      return failure();
    auto part = PartOp::create(builder, kernel.getLoc(), results, binding, choice.getAttribute(model.getContext()));
    builder.setInsertionPointToStart(&part.getBody().front());
    for (Operation &op : *text.getBody())
      builder.clone(op);
    auto region = cast<KernelOp>(builder.clone(*kernel));
    region.setSymName(symbol);
    remark::passed(kernel.getLoc(), remark::RemarkOpts::name("Kernel").category("nstf-select-kernels").function(symbol))
        << "template " + choice.templateName + ": " + choice.getReason();
    return success();
  }

  /// Parses a template once, and copies it for each kernel.
  ModuleOp parseTemplate(const std::string &templateName) {
    OwningOpRef<ModuleOp> &module = parsed[templateName];
    if (module)
      return *module;
    module = nstf::parseTemplate(templateName, model.getContext(), files);
    return module ? *module : ModuleOp();
  }

  ModuleOp model;
  const SelectKernelsPassOptions &options;
  TemplateFiles files;
  SmallVector<KernelOp> kernels;
  std::vector<std::pair<int64_t, int64_t>> buckets;
  TuningOverrides overrides;
  llvm::StringMap<OwningOpRef<ModuleOp>> parsed; ///< by template
};

struct SelectKernelsPass : nstf::impl::SelectKernelsPassBase<SelectKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    SelectKernelsPassOptions options;
    options.targets.assign(targets.begin(), targets.end());
    if (options.targets.empty())
      options.targets.push_back("gfx942");
    options.maxTokens = maxTokens;
    options.oneBucket = oneBucket;
    options.batchInvariant = batchInvariant;
    options.symbol = symbol;
    options.templates = templates;
    options.tuning.assign(tuning.begin(), tuning.end());
    try {
      if (failed(Selection(getOperation(), options).run()))
        signalPassFailure();
    } catch (const std::runtime_error &error) { // from the files, or from the user's options
      emitError(UnknownLoc::get(&getContext())) << error.what();
      signalPassFailure();
    }
  }
};

} // namespace
