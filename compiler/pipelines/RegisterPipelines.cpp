// Registers the stages as pipelines of nstf-opt, with their options (Pipelines.h).
#include "compiler/pipelines/Pipelines.h"
#include "dialects/nstf/NSTF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace nstf;

namespace {

constexpr char targetsHelp[] = "names, aliases or .yaml files; none: gfx942";
constexpr char waveSizeHelp[] = "32 or 64; 0: chosen";
constexpr char planHelp[] = "file with the plans of a kernel's loops of products; none: chosen";
constexpr char outputHelp[] = "folder that gets each target's code object as a file";
constexpr char precisionHelp[] = "type of matrix operands";
constexpr char activationsHelp[] = "type of codes of what linears read: i8 or e4m3fnuz";
constexpr char cachesHelp[] = "type of codes of keys and values in caches: i8 or e4m3fnuz";
constexpr char orderCachesHelp[] = "caches of keys and values lie in the order of matrix operands";
constexpr char quantizeHelp[] = "format of the weights of linears: int8, int4_g128, …";

struct GraphOptions : PassPipelineOptions<GraphOptions> {
  Option<int64_t> maxTokens{*this, "max-tokens", llvm::cl::init(0), llvm::cl::desc("rows of the largest step")};
  Option<Precision> precision{*this, "precision", llvm::cl::init(Precision::F32), llvm::cl::desc(precisionHelp),
                              getPrecisionValues()};
  Option<std::string> quantize{*this, "quantize", llvm::cl::init(""), llvm::cl::desc(quantizeHelp)};
  Option<std::string> activations{*this, "activations", llvm::cl::init(""), llvm::cl::desc(activationsHelp)};
  Option<std::string> caches{*this, "caches", llvm::cl::init(""), llvm::cl::desc(cachesHelp)};
  Option<bool> orderCaches{*this, "order-caches", llvm::cl::init(true), llvm::cl::desc(orderCachesHelp)};
  PipelineOptions get() const {
    return {.maxTokens = maxTokens,
            .precision = precision,
            .quantize = quantize,
            .activations = activations,
            .caches = caches,
            .orderCaches = orderCaches};
  }
};

struct TileOptions : PassPipelineOptions<TileOptions> {
  ListOption<std::string> targets{*this, "targets", llvm::cl::desc(targetsHelp)};
  Option<int64_t> maxTokens{*this, "max-tokens", llvm::cl::init(0), llvm::cl::desc("rows of the largest step")};
  Option<bool> oneBucket{*this, "one-bucket", llvm::cl::init(false),
                         llvm::cl::desc("one kernel for every number of rows, chosen for the most")};
  Option<std::string> symbol{*this, "symbol", llvm::cl::init(""), llvm::cl::desc("of a module's only kernel")};
  Option<std::string> templates{*this, "templates", llvm::cl::init(""),
                                llvm::cl::desc("folder of kernels and tuning of one's own")};
  ListOption<std::string> tuning{
      *this, "tuning", llvm::cl::desc("parameters and fields of the schedule over the catalog's, NAME=VALUE")};
  Option<int64_t> waveSize{*this, "wave-size", llvm::cl::init(0), llvm::cl::desc(waveSizeHelp)};
  Option<std::string> plan{*this, "plan", llvm::cl::init(""), llvm::cl::desc(planHelp)};
  PipelineOptions get() const {
    return {.maxTokens = maxTokens,
            .targets = {targets.begin(), targets.end()},
            .oneBucket = oneBucket,
            .symbol = symbol,
            .templates = templates,
            .tuning = {tuning.begin(), tuning.end()},
            .waveSize = waveSize,
            .plan = plan};
  }
};

struct CodeOptions : PassPipelineOptions<CodeOptions> {
  Option<bool> keepLLVM{*this, "keep-llvm", llvm::cl::init(false), llvm::cl::desc("keep the LLVM IR of each kernel")};
  Option<std::string> output{*this, "output", llvm::cl::init(""), llvm::cl::desc(outputHelp)};
  PipelineOptions get() const { return {.keepLLVM = keepLLVM, .output = output}; }
};

struct AllOptions : PassPipelineOptions<AllOptions> {
  Option<int64_t> maxTokens{*this, "max-tokens", llvm::cl::init(0), llvm::cl::desc("rows of the largest step")};
  Option<Precision> precision{*this, "precision", llvm::cl::init(Precision::F32), llvm::cl::desc(precisionHelp),
                              getPrecisionValues()};
  Option<std::string> quantize{*this, "quantize", llvm::cl::init(""), llvm::cl::desc(quantizeHelp)};
  Option<std::string> activations{*this, "activations", llvm::cl::init(""), llvm::cl::desc(activationsHelp)};
  Option<std::string> caches{*this, "caches", llvm::cl::init(""), llvm::cl::desc(cachesHelp)};
  Option<bool> orderCaches{*this, "order-caches", llvm::cl::init(true), llvm::cl::desc(orderCachesHelp)};
  ListOption<std::string> targets{*this, "targets", llvm::cl::desc(targetsHelp)};
  Option<int64_t> waveSize{*this, "wave-size", llvm::cl::init(0), llvm::cl::desc(waveSizeHelp)};
  Option<std::string> output{*this, "output", llvm::cl::init(""), llvm::cl::desc(outputHelp)};
  PipelineOptions get() const {
    return {.maxTokens = maxTokens,
            .precision = precision,
            .quantize = quantize,
            .activations = activations,
            .caches = caches,
            .orderCaches = orderCaches,
            .targets = {targets.begin(), targets.end()},
            .waveSize = waveSize,
            .output = output};
  }
};

/// The pass manager of a model's variants.
OpPassManager &nestVariants(OpPassManager &model) { return model.nest<ModuleOp>().nest<VariantOp>(); }

} // namespace

void nstf::registerPipelines() {
  PassPipelineRegistration<GraphOptions>(
      "nstf-pipeline-graph", "nstf to fused: a model's graph to kernels and steps, memory planned",
      [](OpPassManager &model, const GraphOptions &options) { buildGraphPipeline(model, options.get()); });
  PassPipelineRegistration<TileOptions>("nstf-pipeline-tile",
                                        "fused to systolic: for each target, kernels and templates to tile programs",
                                        [](OpPassManager &model, const TileOptions &options) {
                                          buildSelectPipeline(model, options.get());
                                          buildTilePipeline(nestVariants(model).nest<PartOp>(), options.get());
                                        });
  PassPipelineRegistration<>("nstf-pipeline-gpu", "systolic to gpu: tile programs to gpu.funcs",
                             [](OpPassManager &model) { buildGPUPipeline(nestVariants(model)); });
  PassPipelineRegistration<>("nstf-pipeline-llvm", "gpu to llvm: gpu.funcs to the LLVM and ROCDL dialects",
                             [](OpPassManager &model) { buildLLVMPipeline(nestVariants(model)); });
  PassPipelineRegistration<CodeOptions>("nstf-pipeline-isa",
                                        "llvm to isa: assembly, objects and a code object for each target",
                                        [](OpPassManager &model, const CodeOptions &options) {
                                          buildISAPipeline(model.nest<ModuleOp>(), options.get());
                                        });
  PassPipelineRegistration<AllOptions>("nstf-pipeline", "nstf to isa: all of them",
                                       [](OpPassManager &model, const AllOptions &flags) {
                                         PipelineOptions options = flags.get();
                                         buildGraphPipeline(model, options);
                                         buildSelectPipeline(model, options);
                                         OpPassManager &target = model.nest<ModuleOp>();
                                         OpPassManager &variant = target.nest<VariantOp>();
                                         buildTilePipeline(variant.nest<PartOp>(), options);
                                         buildGPUPipeline(variant);
                                         buildLLVMPipeline(variant);
                                         buildISAPipeline(target, options);
                                       });
}
