// Variants of kernels and their modules (KernelBuild.h).
#include "compiler/driver/KernelBuild.h"
#include "dialects/nstf/Target.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Threading.h"
#include "llvm/Support/MathExtras.h"

#include <stdexcept>

using namespace mlir;
using namespace nstf;

int64_t LaunchInfo::getWorkItems(int64_t tokens) const {
  int64_t items = 1;
  for (const auto &[extent, tile] : grid) {
    auto growing = perToken.find(extent);
    int64_t size = growing == perToken.end() ? parameters.at(extent) : growing->second * tokens;
    items *= llvm::divideCeil(size, tile);
  }
  return items;
}

static bool hasTokens(GraphOp graph) {
  auto isDynamic = [](Type type) { return !cast<RankedTensorType>(type).hasStaticShape(); };
  return llvm::any_of(graph.getFunctionType().getInputs(), isDynamic);
}

TemplateFiles nstf::getTemplateFiles(const PlanWishes &wishes) {
  return wishes.templates.empty() ? TemplateFiles() : TemplateFiles(wishes.templates);
}

std::vector<BucketPlan> nstf::makeBuckets(GraphOp graph, int64_t maxTokens, const TemplateFiles &files) {
  if (!hasTokens(graph))
    return {BucketPlan{}};
  std::vector<BucketPlan> buckets;
  for (auto [least, most] : getTokenBuckets(maxTokens, files))
    buckets.push_back({least, most, {}});
  return buckets;
}

/// The template's text with a copy of the region beside it.
static OwningOpRef<ModuleOp> makeModule(KernelVariant &variant, int64_t maxTokens, DictionaryAttr target,
                                        const TemplateFiles &files) {
  MLIRContext *context = variant.region->getContext();
  OwningOpRef<ModuleOp> module = parseTemplate(variant.choice.templateName, context, files);
  if (!module)
    return module;
  Builder builder(context);
  (*module)->setAttr(TargetView::attributeName, target);
  (*module)->setAttr(NSTFDialect::maxTokensAttributeName, builder.getI64IntegerAttr(maxTokens));
  auto region = cast<KernelOp>(variant.region->clone());
  region.setSymName(variant.symbol);
  NamedAttrList tuning;
  for (const auto &[parameter, value] : variant.choice.tuning)
    tuning.set(parameter, builder.getI64IntegerAttr(value));
  region->setAttr("nstf.tuning", tuning.getDictionary(context));
  module->push_back(region);
  return module;
}

/// The variant for this region and bucket, where there is none yet a new one: its index in the plan.
static FailureOr<size_t> addVariant(KernelOp region, const BucketPlan &bucket, const Target &target,
                                    const PlanWishes &wishes, const TemplateFiles &files, KernelPlan &plan) {
  FailureOr<KernelChoice> choice =
      KernelChooser(region, bucket.maxTokens, files).choose(bucket.maxTokens, target, wishes.tuning);
  if (failed(choice))
    return failure();
  auto same = [&](const KernelVariant &variant) { return variant.region == region && variant.choice == *choice; };
  auto known = llvm::find_if(plan.variants, same);
  if (known != plan.variants.end())
    return known - plan.variants.begin();
  KernelVariant variant;
  variant.symbol =
      wishes.symbol.empty() ? region.getSymName().str() + "_t" + std::to_string(bucket.maxTokens) : wishes.symbol;
  variant.region = region;
  variant.choice = std::move(*choice);
  plan.variants.push_back(std::move(variant));
  return plan.variants.size() - 1;
}

FailureOr<KernelPlan> nstf::planKernels(ModuleOp model, GraphOp graph, const Target &target, const PlanWishes &wishes) {
  int64_t maxTokens = model->getAttrOfType<IntegerAttr>(NSTFDialect::maxTokensAttributeName).getInt();
  DictionaryAttr attribute = target.attribute(model.getContext());
  TemplateFiles files = getTemplateFiles(wishes);
  KernelPlan plan;
  plan.buckets = makeBuckets(graph, maxTokens, files);
  if (wishes.oneBucket)
    plan.buckets = {BucketPlan{1, plan.buckets.back().maxTokens, {}}};
  SymbolTable symbols(model);
  for (BucketPlan &bucket : plan.buckets) {
    llvm::StringMap<size_t> variantOf; // by the kernel's name: layers share kernels
    for (StepOp step : graph.getBody().getOps<StepOp>()) {
      auto [known, isNew] = variantOf.try_emplace(step.getKernel());
      if (isNew) {
        FailureOr<size_t> variant =
            addVariant(symbols.lookup<KernelOp>(step.getKernel()), bucket, target, wishes, files, plan);
        if (failed(variant))
          return failure();
        known->second = *variant;
      }
      bucket.kernels.push_back(known->second);
    }
  }
  for (KernelVariant &variant : plan.variants) {
    variant.module = makeModule(variant, maxTokens, attribute, files);
    if (!variant.module)
      return failure();
  }
  return plan;
}

LogicalResult nstf::runOnVariants(KernelPlan &plan, llvm::function_ref<LogicalResult(KernelVariant &)> run) {
  if (plan.variants.empty())
    return success();
  MLIRContext *context = plan.variants.front().region->getContext();
  return failableParallelForEach(context, plan.variants, run);
}

LaunchInfo nstf::readLaunchInfo(systolic::KernelOp kernel) {
  LaunchInfo info;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    info.readsTokens |= kernel.getElementsPerToken(i) != 0;
  for (const systolic::LaunchArgument &from : kernel.getLaunch()->getArguments()) {
    LaunchInfo::Argument argument;
    argument.name = from.name.str();
    argument.index = from.index;
    argument.kind = from.kind == systolic::LaunchArgument::Control  ? LaunchInfo::Argument::Control
                    : from.kind == systolic::LaunchArgument::Result ? LaunchInfo::Argument::Result
                                                                    : LaunchInfo::Argument::Operand;
    argument.access = from.kind == systolic::LaunchArgument::InPlace  ? "read_write"
                      : from.kind == systolic::LaunchArgument::Result ? "write"
                                                                      : "read";
    info.arguments.push_back(argument);
  }
  for (const systolic::KernelOp::GridAxis &axis : kernel.getGridAxes())
    info.grid.push_back({axis.extent.str(), axis.tile});
  for (NamedAttribute parameter : kernel.getParams())
    if (auto value = dyn_cast<IntegerAttr>(parameter.getValue()))
      info.parameters[parameter.getName().str()] = value.getInt();
  for (NamedAttribute entry : kernel.getLaunch()->getPerToken())
    info.perToken[entry.getName().str()] = cast<IntegerAttr>(entry.getValue()).getInt();
  kernel.walk([&](systolic::ControlOp op) {
    (op.getField() == systolic::ControlField::tokens ? info.readsTokens : info.readsPosition) = true;
  });
  info.waveSize = kernel.getWaveSize().value();
  info.waves = kernel.getArray()->getNumWaves();
  llvm::raw_string_ostream(info.array) << *kernel.getArray();
  return info;
}
