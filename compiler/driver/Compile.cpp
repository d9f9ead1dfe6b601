// One compilation, stage by stage (Compile.h).
#include "compiler/driver/Compile.h"
#include "compiler/codegen/Codegen.h"
#include "compiler/driver/ChatTemplateFile.h"
#include "compiler/driver/KernelFacts.h"
#include "compiler/driver/PackageBuild.h"
#include "compiler/driver/Registration.h"
#include "compiler/driver/Reproducer.h"
#include "compiler/import/Import.h"
#include "compiler/pipelines/Pipelines.h"
#include "dialects/nstf/Target.h"
#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/PassManager.h"
#include "nstf/ChatTemplate.h"
#include "nstf/Tokenizer.h"
#include "passes/nstf/CodeType.h"
#include "passes/nstf/FormedGraph.h"
#include "passes/nstf/WeightFormat.h"
#include "support/Escape.h"
#include "support/MappedFile.h"
#include "support/Progress.h"
#include "support/WriteFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <stdexcept>

using namespace mlir;
using namespace nstf;
using namespace nstf::import;

static constexpr std::pair<Stage, StringLiteral> stageNames[] = {
    {Stage::NSTF, "nstf"}, {Stage::Fused, "fused"}, {Stage::Systolic, "systolic"}, {Stage::GPU, "gpu"},
    {Stage::LLVM, "llvm"}, {Stage::ISA, "isa"},     {Stage::Hsaco, "hsaco"},       {Stage::Package, "package"}};

DialectRegistry nstf::makeRegistry() {
  DialectRegistry registry;
  registerDialects(registry);
  registerCodegenTranslations(registry);
  return registry;
}

std::optional<Stage> nstf::parseStage(StringRef name) {
  for (const auto &[stage, stageName] : stageNames)
    if (stageName == name)
      return stage;
  return std::nullopt;
}

StringRef nstf::getStageName(Stage stage) { return stageNames[size_t(stage)].second; }

/// The default max number of rows of a step: longer prompts run in pieces, which keeps the arena small.
static constexpr int64_t defaultMaxTokens = 512;

Compilation::Compilation(MLIRContext &context, CompileOptions options, TimingScope &timing)
    : context(context), options(std::move(options)), timing(timing) {
  // Loads all dialects now. Variants are built on several threads, on which loading a dialect would be a race. So would
  // be registering a dialect that only a pass depends on.
  PassManager all(&context);
  OpPassManager &variant = all.nest<VariantOp>();
  buildTilePipeline(variant.nest<PartOp>(), {});
  buildGPUPipeline(variant);
  buildLLVMPipeline(variant);
  buildISAPipeline(all, {});
  DialectRegistry named;
  all.getDependentDialects(named);
  context.appendDialectRegistry(named);
  context.loadAllAvailableDialects();
}

LogicalResult Compilation::run(Stage last) {
  if (!options.quantize.empty() && !parseWeightFormat(options.quantize))
    throw std::runtime_error("--quantize: expected " + getWeightFormatNames() + " but got '" +
                             support::escape(options.quantize) + "'");
  for (const std::string &name : options.targets)
    targets.push_back({findTarget(name), {}, {}, {}});
  if (failed(checkTargets()) || failed(import()))
    return failure();
  checkTokenizer();
  readChatTemplate();
  dump(Stage::NSTF);
  if (last == Stage::NSTF)
    return success();
  if (failed(buildGraph()))
    return failure();
  dump(Stage::Fused);
  return last == Stage::Fused ? success() : resume(last);
}

LogicalResult Compilation::resume(Stage last) {
  if (failed(selectKernels()))
    return failure();
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
  import.ropeFactors = options.ropeFactors;
  import.needActivations = !options.activations;
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

LogicalResult Compilation::checkTargets() const {
  llvm::StringSet<> names;
  std::vector<Target> rows;
  for (const CompiledTarget &target : targets) {
    const Target &facts = rows.emplace_back(target.target);
    if (!names.insert(facts.name).second)
      throw std::runtime_error("expected each target once but got " + facts.name + " twice");
    auto emit = [&] { return emitError(UnknownLoc::get(&context)); };
    if (options.waveSize && failed(TargetView(facts.attribute(&context)).requireWaveSize(options.waveSize, emit)))
      return failure();
  }
  requireOneTargetPerChip(rows);
  return success();
}

/// Reads the tokenizer's file, the model's own or the one of --tokenizer, so that an error in it is found before
/// anything is compiled.
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
  try {
    std::unique_ptr<runtime::Tokenizer> tokenizer = runtime::Tokenizer::load(file.str());
    if (auto vocabulary = dyn_cast_or_null<IntegerAttr>(facts.get("vocabulary")); vocabulary && vocabulary.getInt() > 0)
      tokenizer->fitTo(vocabulary.getInt(), file.str());
    for (const std::string &note : tokenizer->notes())
      emitWarning(UnknownLoc::get(&context)) << note;
  } catch (const std::runtime_error &error) {
    if (!options.tokenizer.empty())
      throw;
    throw std::runtime_error(std::string(error.what()) + " (--tokenizer=none leaves it out)"); // the model's file
  }
}

/// Reads and parses the chat template before anything is compiled: the one of --chat-template, else the one in the
/// tokenizer's folder or, without a tokenizer, in the model's folder.
void Compilation::readChatTemplate() {
  if (options.chatTemplate == "none")
    return;
  std::optional<ChatTemplateFile> found;
  if (!options.chatTemplate.empty()) {
    found = {options.chatTemplate.string(), support::readTextFile(options.chatTemplate.string())};
  } else {
    auto facts = getModel()->getAttrOfType<DictionaryAttr>(NSTFDialect::modelAttributeName);
    auto tokenizer = facts ? facts.getAs<StringAttr>("tokenizer") : StringAttr();
    std::filesystem::path folder = options.input;
    if (tokenizer && !tokenizer.empty())
      folder = std::filesystem::path(tokenizer.str()).parent_path();
    if (std::filesystem::is_directory(folder))
      found = findChatTemplate(folder);
  }
  if (!found)
    return;
  try {
    runtime::ChatTemplate::parse(found->text, found->place);
  } catch (const std::runtime_error &error) {
    if (!options.chatTemplate.empty())
      throw;
    throw std::runtime_error(std::string(error.what()) + " (--chat-template=none leaves it out)"); // the model's file
  }
  chatTemplate = found->text;
}

/// The type of codes that the user asked for, or for which the checkpoint was made; empty: none.
std::string Compilation::chooseCodeType(const CodeChoice &choice) const {
  auto facts = getModel()->getAttrOfType<DictionaryAttr>(NSTFDialect::modelAttributeName);
  auto own = facts ? facts.getAs<StringAttr>(choice.fact) : StringAttr();
  std::string type = choice.requested.value_or(own ? own.str() : "none");
  if (type == "none")
    return "";
  std::string from = choice.requested ? choice.flag : choice.key;
  Type element = parseCodeType(type, &context);
  if (!element)
    throw std::runtime_error(from + ": expected " + getCodeTypeNames().str() + " or none but got '" +
                             support::escape(type) + "'");
  std::string name;
  llvm::raw_string_ostream(name) << element;
  for (const CompiledTarget &target : targets)
    if (llvm::none_of(TargetView(target.target.attribute(&context)).matrixInstructions(),
                      [&](const MatrixInstruction &instruction) { return instruction.a == name; }))
      throw std::runtime_error(from + ": expected a chip with " + choice.what + " of " + type + " but got " +
                               target.target.name + ", which has those of i8 (" + choice.flag + "=i8), or " +
                               choice.otherwise + " (" + choice.flag + "=none)");
  return type;
}

/// Whether caches are stored in operand order.
bool Compilation::chooseOrder() {
  if (!options.kvOrder)
    return true;
  auto readsCache = [](AttentionOp op) { return op.readsCache(); };
  if (llvm::none_of(GraphOp(graph).getBody().getOps<AttentionOp>(), readsCache))
    throw std::runtime_error("--kv-order: expected a model with caches of keys and values but got none");
  return *options.kvOrder == "operands";
}

bool Compilation::fuses(StringRef name) const {
  ArrayRef<std::string> wanted = options.fusions;
  for (StringRef whole : {"all", "none"})
    if (llvm::is_contained(wanted, whole) && wanted.size() > 1)
      throw std::runtime_error("--fuse: expected " + whole.str() + " alone but got it beside others");
  return llvm::is_contained(wanted, "all") || llvm::is_contained(wanted, name);
}

/// Checks that 32-bit indices can address every request's slot of each state.
void Compilation::checkSlots() {
  for (StateOp state : getModel().getOps<StateOp>()) {
    int64_t elements = 1;
    for (int64_t size : getShape(cast<RankedTensorType>(state.getType()))
                            .stored(getElementType(cast<RankedTensorType>(state.getType())), /*tokens=*/1))
      elements *= size;
    if (options.maxBatch > 1 && elements > INT32_MAX / options.maxBatch)
      throw std::runtime_error("--max-batch: expected at most " + std::to_string(INT32_MAX / elements) +
                               ", for state '" + support::escape(state.getSymName()) + "' has " +
                               std::to_string(elements) +
                               " elements a request, and all requests' are to be less than 2147483648, but got " +
                               std::to_string(options.maxBatch));
  }
}

LogicalResult Compilation::buildGraph() {
  TimingScope scope = timing.nest("graph");
  int64_t tokens = options.maxTokens.value_or(std::min<int64_t>(graph.getContext(), defaultMaxTokens));
  if (options.maxBatch > tokens)
    throw std::runtime_error("--max-batch: expected at most the " + std::to_string(tokens) +
                             " tokens of the largest step but got " + std::to_string(options.maxBatch));
  precision = choosePrecision(getModel(), options.precision, options.quantize);
  PassManager pm(&context);
  pm.enableTiming(scope);
  buildGraphPipeline(pm, {.maxTokens = tokens,
                          .maxRequests = options.maxBatch,
                          .precision = precision.type,
                          .quantize = options.quantize,
                          .activations = chooseCodeType({.requested = options.activations,
                                                         .flag = "--activations",
                                                         .fact = "activations",
                                                         .key = "input_activations",
                                                         .what = "products",
                                                         .otherwise = "decodes weights as it reads them"}),
                          .caches = chooseCodeType({.requested = options.kvCache,
                                                    .flag = "--kv-cache",
                                                    .fact = "kv_cache",
                                                    .key = "kv_cache_scheme",
                                                    .what = "conversions",
                                                    .otherwise = "has caches of numbers"}),
                          .orderCaches = chooseOrder(),
                          .pairs = fuses("pairs"),
                          .launches = fuses("launches")});
  Reproducer reproducer(*model, "the graph of the model", "graph", options.reproducerDir);
  LogicalResult result = reproducer.run(pm, *model);
  if (reproducer.hasFailed())
    reproducer.report();
  if (succeeded(result))
    checkSlots();
  return result;
}

int64_t Compilation::getMaxTokens() const {
  auto isDynamic = [](Type type) { return !cast<RankedTensorType>(type).hasStaticShape(); };
  if (llvm::none_of(GraphOp(graph).getFunctionType().getInputs(), isDynamic))
    return 1;
  return getModel()->getAttrOfType<IntegerAttr>(NSTFDialect::maxTokensAttributeName).getInt();
}

TemplateFiles nstf::getTemplateFiles(const PlanOverrides &overrides) {
  return overrides.templates.empty() ? TemplateFiles() : TemplateFiles(overrides.templates);
}

LogicalResult Compilation::selectKernels() {
  TimingScope scope = timing.nest("kernels");
  PipelineOptions select;
  select.targets = options.targets;
  select.oneBucket = options.overrides.oneBucket;
  select.batchInvariant = options.batchInvariant == "on";
  select.symbol = options.overrides.symbol;
  select.templates = options.overrides.templates;
  select.tuning = options.overrides.tuning.getTexts();
  PassManager pm(&context);
  pm.enableTiming(scope);
  buildSelectPipeline(pm, select);
  if (failed(pm.run(*model)))
    return failure();
  for (CompiledTarget &target : targets)
    target.module = cast<ModuleOp>(SymbolTable::lookupSymbolIn(*model, target.target.name));
  return success();
}

LogicalResult Compilation::planLaunches() {
  if (failed(selectKernels()))
    return failure();
  TimingScope scope = timing.nest("launches");
  PassManager pm(&context, VariantOp::getOperationName());
  pm.enableTiming(scope);
  buildProgramPipeline(pm.nest<PartOp>());
  for (CompiledTarget &target : targets) {
    for (VariantOp variant : target.module.getOps<VariantOp>()) // only variants with memory of their own need it
      if (!readOwnMemory(variant).empty() && failed(pm.run(variant)))
        return failure();
    target.plan = readKernelPlan(target.module, graph);
    for (KernelVariant &variant : target.plan.variants)
      variant.launch.arguments = readOwnMemory(variant.op);
  }
  return success();
}

/// The name of a part's tile program, which passes use in their remarks.
static std::string getProgramName(PartOp part) {
  return (*part.getBody().getOps<systolic::KernelOp>().begin()).getSymName().str();
}

LogicalResult Compilation::buildKernels(CompiledTarget &target, Stage last) {
  TimingScope scope = timing.nest(target.target.name);
  PipelineOptions pipeline;
  pipeline.waveSize = options.waveSize;
  pipeline.plan = options.overrides.plan;
  pipeline.keepLLVM = !options.dumpStages.empty();
  VariantReproducers reproducers(target.module, options.reproducerDir);
  // Progress counts four stages for each variant.
  size_t variants = llvm::range_size(target.module.getOps<VariantOp>());
  support::Progress progress("compiling for " + target.target.name, "steps", 4 * variants);
  auto run = [&](StringRef name, llvm::function_ref<void(OpPassManager &)> build) {
    TimingScope stage = scope.nest(name);
    PassManager pm(&context);
    pm.enableTiming(stage);
    build(pm);
    return reproducers.run(pm, [&] { progress.add(); });
  };

  if (failed(run("tile programs",
                 [&](OpPassManager &pm) { buildTilePipeline(pm.nest<VariantOp>().nest<PartOp>(), pipeline); })))
    return failure();
  if (options.remarks) // before the next target, whose kernels have the same names
    for (VariantOp variant : target.module.getOps<VariantOp>()) {
      std::vector<std::vector<PassRemark>> &parts = target.remarks.emplace_back();
      for (PartOp part : variant.getParts())
        parts.push_back(options.remarks->take(getProgramName(part)));
    }
  dump(Stage::Systolic, &target);
  if (last == Stage::Systolic)
    return success();

  if (failed(run("gpu", [](OpPassManager &pm) { buildGPUPipeline(pm.nest<VariantOp>()); })))
    return failure();
  dump(Stage::GPU, &target);
  if (last == Stage::GPU)
    return success();

  if (failed(run("llvm dialect", [](OpPassManager &pm) { buildLLVMPipeline(pm.nest<VariantOp>()); })))
    return failure();
  if (last == Stage::LLVM)
    return success();

  if (llvm::Error error = checkProcessor({.chip = target.target.chip}))
    return emitError(graph.getLoc()) << llvm::toString(std::move(error));
  if (failed(run("code generation", [&](OpPassManager &pm) { buildISAPipeline(pm, pipeline); })))
    return failure();
  dump(Stage::LLVM, &target);
  dump(Stage::ISA, &target);
  if (failed(readCode(target)))
    return failure();
  dump(Stage::Hsaco, &target);
  return success();
}

/// Reads the facts of the kernels for the package and --explain, from the code object and from the attributes that the
/// passes left on the variants.
LogicalResult Compilation::readCode(CompiledTarget &target) {
  auto binary = target.module.lookupSymbol<gpu::BinaryOp>(codeObjectName);
  if (!binary)
    return emitError(graph.getLoc()) << "expected at least one kernel but got none";
  target.codeObject = *getObject(binary, gpu::CompilationTarget::Binary);
  llvm::Expected<std::vector<KernelMetadata>> kernels = readKernelMetadata(target.codeObject);
  if (!kernels)
    return emitError(graph.getLoc()) << llvm::toString(kernels.takeError());
  target.plan = readKernelPlan(target.module, graph);
  for (auto [i, variant] : llvm::enumerate(target.plan.variants)) {
    auto metadata =
        llvm::find_if(*kernels, [&](const KernelMetadata &kernel) { return kernel.symbol == variant.symbol; });
    if (metadata == kernels->end())
      return emitError(variant.op.getLoc())
             << "expected kernel " << variant.symbol << " in the code object but it has none";
    variant.metadata = *metadata;
    variant.launch = readLaunchInfo(variant.op);
    if (options.remarks)
      variant.remarks = std::move(target.remarks[i]);
  }
  reportSpills(target);
  return success();
}

void Compilation::reportSpills(const CompiledTarget &target) {
  for (const KernelVariant &variant : target.plan.variants) {
    const KernelMetadata &kernel = variant.metadata;
    if (kernel.vgprSpills || kernel.sgprSpills || kernel.scratchSize)
      remark::missed(VariantOp(variant.op).getLoc(),
                     remark::RemarkOpts::name("Spills").category("codegen").function(variant.symbol))
          << "registers were spilled" << remark::metric("vgpr_spills", int64_t(kernel.vgprSpills))
          << remark::metric("sgpr_spills", int64_t(kernel.sgprSpills))
          << remark::metric("scratch_bytes", int64_t(kernel.scratchSize));
  }
}

std::string Compilation::getText(Stage stage) const {
  std::string text;
  if (stage <= Stage::LLVM) {
    llvm::raw_string_ostream(text) << *model << "\n";
    return text;
  }
  for (const CompiledTarget &target : targets)
    text += getText(stage, target);
  return text;
}

std::string Compilation::getText(Stage stage, const CompiledTarget &target) const {
  if (stage <= Stage::GPU)
    return getModule(target);
  if (stage == Stage::Hsaco)
    return target.codeObject.str();
  auto format = stage == Stage::LLVM ? gpu::CompilationTarget::Offload : gpu::CompilationTarget::Assembly;
  std::string text;
  for (VariantOp variant : ModuleOp(target.module).getOps<VariantOp>())
    for (gpu::BinaryOp binary : variant.getBody().getOps<gpu::BinaryOp>())
      text += getObject(binary, format)->str() + "\n";
  return text;
}

/// The model's module with this target only.
std::string Compilation::getModule(const CompiledTarget &target) const {
  OwningOpRef<ModuleOp> copy = ModuleOp(getModel()).clone();
  for (auto other : llvm::make_early_inc_range(copy->getOps<ModuleOp>()))
    if (other.getSymName() != target.target.name)
      other.erase();
  std::string text;
  llvm::raw_string_ostream(text) << *copy << "\n";
  return text;
}

void Compilation::dump(Stage stage, const CompiledTarget *target) {
  if (options.dumpStages.empty())
    return;
  // If this fails, writing the file reports the error.
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
