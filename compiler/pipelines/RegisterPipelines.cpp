// Registers the stages as pipelines of nstf-opt, with their options (Pipelines.h).
#include "compiler/pipelines/Pipelines.h"
#include "dialects/nstf/NSTF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace nstf;

namespace {

using Group = mlir::detail::PassOptions;
using llvm::cl::desc;
using llvm::cl::init;

// Groups of options. A pipeline derives from those that it has.

struct StepOptions : virtual Group {
  Option<int64_t> maxTokens{*this, "max-tokens", init(0), desc("rows of the largest step")};

  void fill(PipelineOptions &options) const { options.maxTokens = maxTokens; }
};

struct NumberOptions : virtual Group {
  Option<Precision> precision{*this, "precision", init(Precision::F32), desc("type of matrix operands"),
                              getPrecisionValues()};
  Option<std::string> quantize{*this, "quantize", init(""),
                               desc("format of the weights of linears: int8, int4_g128, …")};
  Option<std::string> activations{*this, "activations", init(""),
                                  desc("type of codes of what linears read: i8 or e4m3fnuz")};
  Option<std::string> caches{*this, "caches", init(""),
                             desc("type of codes of keys and values in caches: i8 or e4m3fnuz")};
  Option<bool> orderCaches{*this, "order-caches", init(true),
                           desc("caches of keys and values lie in the order of matrix operands")};

  void fill(PipelineOptions &options) const {
    options.precision = precision;
    options.quantize = quantize;
    options.activations = activations;
    options.caches = caches;
    options.orderCaches = orderCaches;
  }
};

struct TargetOptions : virtual Group {
  ListOption<std::string> targets{*this, "targets", desc("names, aliases or .yaml files; none: gfx942")};
  Option<int64_t> waveSize{*this, "wave-size", init(0), desc("32 or 64; 0: chosen")};

  void fill(PipelineOptions &options) const {
    options.targets = {targets.begin(), targets.end()};
    options.waveSize = waveSize;
  }
};

struct KernelOptions : virtual Group {
  Option<bool> oneBucket{*this, "one-bucket", init(false),
                         desc("one kernel for every number of rows, chosen for the most")};
  Option<std::string> symbol{*this, "symbol", init(""), desc("of a module's only kernel")};
  Option<std::string> templates{*this, "templates", init(""), desc("folder of kernels and tuning of one's own")};
  ListOption<std::string> tuning{*this, "tuning",
                                 desc("parameters and fields of the schedule over the catalog's, NAME=VALUE")};
  Option<std::string> plan{*this, "plan", init(""),
                           desc("file with the plans of a kernel's loops of products; none: chosen")};

  void fill(PipelineOptions &options) const {
    options.oneBucket = oneBucket;
    options.symbol = symbol;
    options.templates = templates;
    options.tuning = {tuning.begin(), tuning.end()};
    options.plan = plan;
  }
};

struct KeepOptions : virtual Group {
  Option<bool> keepLLVM{*this, "keep-llvm", init(false), desc("keep the LLVM IR of each kernel")};

  void fill(PipelineOptions &options) const { options.keepLLVM = keepLLVM; }
};

struct OutputOptions : virtual Group {
  Option<std::string> output{*this, "output", init(""), desc("folder that gets each target's code object as a file")};

  void fill(PipelineOptions &options) const { options.output = output; }
};

/// The options of a pipeline.
template <typename... Groups> struct Flags : PassPipelineOptions<Flags<Groups...>>, Groups... {
  PipelineOptions get() const {
    PipelineOptions options;
    (Groups::fill(options), ...);
    return options;
  }
};

using GraphOptions = Flags<StepOptions, NumberOptions>;
using TileOptions = Flags<StepOptions, TargetOptions, KernelOptions>;
using CodeOptions = Flags<KeepOptions, OutputOptions>;
using AllOptions = Flags<StepOptions, NumberOptions, TargetOptions, OutputOptions>;

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
