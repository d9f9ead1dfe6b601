// One compilation, stage by stage (Compile.h).
#include "compiler/driver/Compile.h"
#include "compiler/driver/PackageBuild.h"
#include "compiler/import/Import.h"
#include "compiler/pipelines/Pipelines.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"
#include "nstf/Tokenizer.h"
#include "passes/nstf/FormedGraph.h"
#include "support/Progress.h"
#include "support/WriteFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <stdexcept>

using namespace mlir;
using namespace nstf;

static constexpr std::pair<Stage, StringLiteral> stageNames[] = {
    {Stage::NSTF, "nstf"}, {Stage::Fused, "fused"}, {Stage::Systolic, "systolic"}, {Stage::GPU, "gpu"},
    {Stage::LLVM, "llvm"}, {Stage::ISA, "isa"},     {Stage::Hsaco, "hsaco"},       {Stage::Package, "package"}};

std::optional<Stage> nstf::parseStage(StringRef name) {
  for (const auto &[stage, stageName] : stageNames)
    if (stageName == name)
      return stage;
  return std::nullopt;
}

StringRef nstf::getStageName(Stage stage) { return stageNames[size_t(stage)].second; }

/// Rows of the largest step where nobody says: longer prompts run in pieces, and the arena stays small.
static constexpr int64_t defaultMaxTokens = 512;

Compilation::Compilation(MLIRContext &context, CompileOptions options, TimingScope &timing)
    : context(context), options(std::move(options)), timing(timing) {
  // Kernels are built on several threads. Loading a dialect there would be a race, and so would the registry's growing
  // by one that only a pass names: PassManager::run adds those it does not find.
  PassManager all(&context);
  buildTilePipeline(all);
  buildGPUPipeline(all);
  buildLLVMPipeline(all);
  DialectRegistry named;
  all.getDependentDialects(named);
  context.appendDialectRegistry(named);
  context.loadAllAvailableDialects();
}

LogicalResult Compilation::run(Stage last) {
  for (const std::string &name : options.targets)
    targets.push_back({findTarget(name), {}, {}});
  checkTargets();
  if (failed(import()))
    return failure();
  checkTokenizer();
  dump(Stage::NSTF);
  if (last == Stage::NSTF)
    return success();
  if (failed(buildGraph()))
    return failure();
  dump(Stage::Fused);
  return last == Stage::Fused ? success() : resume(last);
}

LogicalResult Compilation::resume(Stage last) {
  for (CompiledTarget &target : targets)
    if (failed(buildKernels(target, last)))
      return failure();
  return success();
}

LogicalResult Compilation::import() {
  TimingScope scope = timing.nest("import");
  ImportOptions import;
  import.context = options.context;
  import.architectures = options.architectures;
  import.needWeights =
      options.weights == manifest::WeightsMode::Pack || options.weights == manifest::WeightsMode::Reference;
  model = options.makeModule ? options.makeModule(context) : importModel(options.input, &context, import);
  if (!model)
    return failure();
  FailureOr<GraphOp> found = nstf::getGraph(*model);
  if (failed(found))
    return failure();
  graph = *found;
  return success();
}

void Compilation::checkTargets() const {
  llvm::StringSet<> names;
  std::vector<Target> rows;
  for (const CompiledTarget &target : targets) {
    const Target &facts = rows.emplace_back(target.target);
    if (!names.insert(facts.name).second)
      throw std::runtime_error("expected each target once but got " + facts.name + " twice");
    if (options.waveSize && !llvm::is_contained(facts.waveSizes, options.waveSize))
      throw std::runtime_error(
          "expected a wave size of " + facts.name + " (" +
          llvm::join(llvm::map_range(facts.waveSizes, [](int64_t size) { return std::to_string(size); }), ", ") +
          ") but got " + std::to_string(options.waveSize));
  }
  requireOneTargetPerChip(rows);
}

/// The tokenizer's file, the model's own or the one that takes its place, is read here once: a wrong one is found
/// before anything is compiled.
void Compilation::checkTokenizer() {
  NamedAttrList facts;
  if (auto known = (*model)->getAttrOfType<DictionaryAttr>(NSTFDialect::modelAttributeName))
    facts.append(known.begin(), known.end());
  if (!options.tokenizer.empty()) {
    std::string file = options.tokenizer == "none" ? "" : options.tokenizer.string();
    facts.set("tokenizer", StringAttr::get(&context, file));
    (*model)->setAttr(NSTFDialect::modelAttributeName, facts.getDictionary(&context));
  }
  auto file = dyn_cast_or_null<StringAttr>(facts.get("tokenizer"));
  if (!file || file.empty())
    return;
  std::unique_ptr<runtime::Tokenizer> tokenizer;
  try {
    tokenizer = runtime::Tokenizer::load(file.str());
  } catch (const std::runtime_error &error) {
    if (!options.tokenizer.empty())
      throw;
    throw std::runtime_error(std::string(error.what()) + " (--tokenizer=none leaves it out)"); // the model's own
  }
  if (auto vocabulary = dyn_cast_or_null<IntegerAttr>(facts.get("vocabulary"));
      vocabulary && vocabulary.getInt() > 0 && tokenizer->vocabularySize() > vocabulary.getInt())
    throw std::runtime_error(file.str() + ": expected at most the model's " + std::to_string(vocabulary.getInt()) +
                             " tokens but got " + std::to_string(tokenizer->vocabularySize()));
}

LogicalResult Compilation::buildGraph() {
  TimingScope scope = timing.nest("graph");
  int64_t tokens = options.maxTokens.value_or(std::min<int64_t>(graph.getContext(), defaultMaxTokens));
  if (tokens < 1 || tokens > int64_t(graph.getContext()))
    return emitError(graph.getLoc()) << "expected max-tokens of 1 to " << graph.getContext()
                                     << ", the context, but got " << tokens;
  precision = choosePrecision(getModel(), options.precision);
  PassManager pm(&context);
  pm.enableTiming(scope);
  buildGraphPipeline(pm, tokens, precision.type);
  Reproducer reproducer(*model, "the graph of the model", "graph", options.reproducerDir);
  LogicalResult result = reproducer.run(pm, *model);
  if (reproducer.hasFailed())
    reproducer.report();
  return result;
}

int64_t Compilation::getMaxTokens() const {
  int64_t rows = getModel()->getAttrOfType<IntegerAttr>(NSTFDialect::maxTokensAttributeName).getInt();
  return makeBuckets(graph, rows).back().maxTokens;
}

/// One tells for all: what is wrong with one kernel is mostly wrong with its neighbours.
static void reportFirst(const KernelPlan &plan) {
  auto failed = llvm::find_if(plan.variants, [](const KernelVariant &v) { return v.reproducer.hasFailed(); });
  if (failed != plan.variants.end())
    failed->reproducer.report();
}

LogicalResult Compilation::buildKernels(CompiledTarget &target, Stage last) {
  TimingScope scope = timing.nest(target.target.name);
  FailureOr<KernelPlan> plan = planKernels(*model, graph, target.target, options.wishes);
  if (failed(plan))
    return failure();
  target.plan = std::move(*plan);
  // Each variant goes through three pipelines and through code generation.
  support::Progress progress("compiling for " + target.target.name, "steps", 4 * target.plan.variants.size());
  auto startReproducer = [&](KernelVariant &variant) {
    std::string what = "kernel '" + variant.symbol + "'";
    if (auto layer = dyn_cast<NameLoc>(variant.region.getLoc()))
      what += " (" + layer.getName().str() + ")";
    variant.reproducer =
        Reproducer(*variant.module, what, target.target.name + "-" + variant.symbol, options.reproducerDir);
    return success();
  };
  if (failed(runOnVariants(target.plan, startReproducer)))
    return failure();
  auto runPipeline = [&](llvm::function_ref<void(OpPassManager &)> build,
                         llvm::function_ref<void(KernelVariant &)> then) {
    LogicalResult result = runOnVariants(target.plan, [&](KernelVariant &variant) {
      PassManager pm(&context);
      build(pm);
      if (failed(variant.reproducer.run(pm, *variant.module)))
        return failure();
      then(variant);
      progress.add();
      return success();
    });
    reportFirst(target.plan);
    return result;
  };
  {
    TimingScope stage = scope.nest("tile programs");
    auto readLaunch = [&](KernelVariant &variant) {
      variant.launch = readLaunchInfo(*variant.module->getOps<systolic::KernelOp>().begin());
      if (options.remarks)
        variant.remarks = options.remarks->take(variant.symbol);
    };
    if (failed(runPipeline([&](OpPassManager &pm) { buildTilePipeline(pm, options.waveSize); }, readLaunch)))
      return failure();
  }
  dump(Stage::Systolic, &target);
  if (last == Stage::Systolic)
    return success();
  auto nothing = [](KernelVariant &) {};
  {
    TimingScope stage = scope.nest("gpu");
    if (failed(runPipeline([](OpPassManager &pm) { buildGPUPipeline(pm); }, nothing)))
      return failure();
  }
  dump(Stage::GPU, &target);
  if (last == Stage::GPU)
    return success();
  {
    TimingScope stage = scope.nest("llvm dialect");
    if (failed(runPipeline([](OpPassManager &pm) { buildLLVMPipeline(pm); }, nothing)))
      return failure();
  }
  return generate(target, last, scope, progress);
}

LogicalResult Compilation::generate(CompiledTarget &target, Stage last, TimingScope &timing,
                                    support::Progress &progress) {
  TimingScope scope = timing.nest("code generation");
  SmallVector<gpu::GPUModuleOp> modules;
  for (KernelVariant &variant : target.plan.variants)
    modules.push_back(*variant.module->getOps<gpu::GPUModuleOp>().begin());
  CodegenOptions codegen;
  codegen.chip = target.target.chip;
  bool keepsText = !options.dumpStages.empty() || last == Stage::LLVM || last == Stage::ISA;
  codegen.keepLLVM = codegen.keepAssembly = keepsText;
  codegen.onKernel = [&](StringRef) { progress.add(); };
  codegen.around = [&](size_t i, llvm::function_ref<void()> compile) {
    target.plan.variants[i].reproducer.runCodegen(compile);
  };
  llvm::Expected<CodeObject> object = generateCode(modules, codegen);
  if (!object) {
    handleCodegenError(target, object.takeError());
    return failure();
  }
  target.codeObject = std::move(*object);
  for (KernelVariant &variant : target.plan.variants) {
    auto metadata = llvm::find_if(target.codeObject.kernels,
                                  [&](const KernelMetadata &kernel) { return kernel.symbol == variant.symbol; });
    if (metadata == target.codeObject.kernels.end())
      return emitError(variant.region.getLoc())
             << "expected kernel " << variant.symbol << " in the code object but it has none";
    variant.metadata = *metadata;
  }
  reportSpills(target);
  dump(Stage::LLVM, &target);
  dump(Stage::ISA, &target);
  dump(Stage::Hsaco, &target);
  return success();
}

/// An error in one kernel is its reproducer's to tell; for one of the link it takes them all, as LLVM got them.
void Compilation::handleCodegenError(CompiledTarget &target, llvm::Error error) {
  auto internal = [&](const CodegenError &failed) {
    if (failed.module != CodegenError::all) {
      target.plan.variants[failed.module].reproducer.setError(failed.message);
      return reportFirst(target.plan);
    }
    SmallVector<ModuleOp> modules;
    for (KernelVariant &variant : target.plan.variants)
      modules.push_back(*variant.module);
    Reproducer reproducer(modules, "the link of all kernels", target.target.name + "-link", options.reproducerDir);
    reproducer.runCodegen([] {});
    reproducer.setError(failed.message);
    reproducer.report();
  };
  auto other = [&](const llvm::ErrorInfoBase &failed) { emitError(graph.getLoc()) << failed.message(); };
  llvm::handleAllErrors(std::move(error), internal, other);
}

void Compilation::reportSpills(const CompiledTarget &target) {
  for (const KernelVariant &variant : target.plan.variants) {
    const KernelMetadata &kernel = variant.metadata;
    if (kernel.vgprSpills || kernel.sgprSpills || kernel.scratchSize)
      remark::missed(KernelOp(variant.region).getLoc(),
                     remark::RemarkOpts::name("Spills").category("codegen").function(variant.symbol))
          << "registers were spilled" << remark::metric("vgpr_spills", int64_t(kernel.vgprSpills))
          << remark::metric("sgpr_spills", int64_t(kernel.sgprSpills))
          << remark::metric("scratch_bytes", int64_t(kernel.scratchSize));
  }
}

std::string Compilation::getText(Stage stage) const {
  std::string text;
  if (stage <= Stage::Fused) {
    llvm::raw_string_ostream(text) << *model << "\n";
    return text;
  }
  for (const CompiledTarget &target : targets)
    text += getText(stage, target);
  return text;
}

std::string Compilation::getText(Stage stage, const CompiledTarget &target) {
  if (stage == Stage::Hsaco)
    return target.codeObject.bytes;
  std::string text;
  llvm::raw_string_ostream os(text);
  if (stage <= Stage::GPU)
    for (const KernelVariant &variant : target.plan.variants)
      os << "// " << target.target.name << " " << variant.symbol << ": " << variant.choice.getReason() << "\n"
         << **variant.module << "\n// -----\n";
  else
    for (const KernelStages &kernel : target.codeObject.stages)
      os << (stage == Stage::LLVM ? kernel.llvm : kernel.assembly) << "\n";
  return text;
}

void Compilation::dump(Stage stage, const CompiledTarget *target) {
  if (options.dumpStages.empty())
    return;
  // Where this fails, writing the file says so.
  std::error_code ignored;
  std::filesystem::create_directories(options.dumpStages, ignored);
  std::string name = std::to_string(size_t(stage) + 1) + "-" + getStageName(stage).str();
  if (target)
    name += "." + target->target.name;
  name += stage == Stage::LLVM ? ".ll" : stage == Stage::ISA ? ".s" : stage == Stage::Hsaco ? "" : ".mlir";
  support::writeFile(options.dumpStages / name, target ? getText(stage, *target) : getText(stage));
}

bool Compilation::writePackage(const std::filesystem::path &folder, const PackageTrial &trial) {
  TimingScope scope = timing.nest("package");
  PackageInputs inputs = buildPackage(*this);
  manifest = inputs.manifest;
  return nstf::writePackage(folder, std::move(inputs), trial);
}
