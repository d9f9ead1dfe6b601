// Compiles one kernel alone (KernelCommand.h).
#include "compiler/driver/KernelCommand.h"
#include "compiler/catalog/Catalog.h"
#include "compiler/driver/KernelFacts.h"
#include "compiler/package/KernelLaunchFile.h"
#include "compiler/package/OffloadBundle.h"
#include "dialects/nstf/Target.h"
#include "dialects/systolic/Systolic.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "passes/nstf/CodeType.h"
#include "passes/nstf/WeightFormat.h"
#include "support/Escape.h"
#include "support/MappedFile.h"
#include "support/Sha256.h"
#include "support/WriteFile.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"

#include <stdexcept>

using namespace mlir;
using namespace nstf;

static constexpr char compilerName[] = "nstf " NSTF_VERSION ", LLVM " LLVM_VERSION_STRING;

/// The name and a hash of every input to the kernel, so that a header can't be used with another kernel's code object.
static std::string makeSymbol(const KernelRequest &request, ModuleOp module) {
  std::string key;
  llvm::raw_string_ostream os(key);
  os << compilerName << "\n"
     << request.name << "\n"
     << module << "\nformat " << request.compile.quantize << "\nwave " << request.compile.waveSize << "\n";
  for (const std::string &setting : request.compile.overrides.tuning.getTexts())
    os << setting << "\n";
  for (const std::string &target : request.compile.targets)
    os << findTarget(target).name << "\n";
  if (!request.compile.overrides.plan.empty())
    os << support::readTextFile(request.compile.overrides.plan) << "\n";
  // The template files are inputs too.
  TemplateFiles files = getTemplateFiles(request.compile.overrides);
  for (const std::string &name : files.list())
    os << name << "\n" << *files.find(name);
  std::string hash = support::sha256Hex(key);
  return request.name + "_" + hash.substr(0, 8);
}

/// Turns the matrix operands of linears into weights, which nstf-quantize-weights brings into `format`. Throws
/// std::runtime_error if there is no such operand or the format is unknown.
static void makeWeights(GraphOp graph, const std::string &format) {
  if (!parseWeightFormat(format))
    throw std::runtime_error("--w-format: expected " + getWeightFormatNames() + " but got '" + support::escape(format) +
                             "'");
  llvm::SmallSetVector<BlockArgument, 1> matrices;
  for (auto linear : graph.getBody().getOps<LinearOp>())
    if (auto w = dyn_cast<BlockArgument>(linear.getW());
        w && isa<Float32Type, Float16Type, BFloat16Type>(getElementTypeOrSelf(w.getType())))
      matrices.insert(w);
  if (matrices.empty())
    throw std::runtime_error("--w-format: expected a kernel that multiplies with a matrix of f32, f16 or bf16");
  llvm::BitVector weights(graph.getNumArguments());
  for (BlockArgument matrix : matrices) {
    StringRef name = graph.getInputName(matrix.getArgNumber());
    OpBuilder builder(graph);
    auto weight = WeightOp::create(builder, matrix.getLoc(), name, cast<RankedTensorType>(matrix.getType()));
    builder.setInsertionPointToStart(&graph.getBody().front());
    matrix.replaceAllUsesWith(GetOp::create(builder, matrix.getLoc(), matrix.getType(), weight.getSymName()));
    weights.set(matrix.getArgNumber());
  }
  if (failed(graph.eraseArguments(weights)))
    throw std::runtime_error("--w-format: expected a graph whose inputs can become weights");
}

/// Replaces the linears' input rows by codes and scales, two inputs. Throws std::runtime_error if there are no such
/// rows or the type is unknown.
static void makeRows(GraphOp graph, const std::string &type) {
  Type element = parseCodeType(type, graph->getContext());
  if (!element)
    throw std::runtime_error("--x-format: expected " + getCodeTypeNames().str() + " but got '" + support::escape(type) +
                             "'");
  llvm::SmallSetVector<BlockArgument, 1> inputs;
  for (auto linear : graph.getBody().getOps<LinearOp>())
    if (auto x = dyn_cast<BlockArgument>(linear.getX()); x && isa<FloatType>(getElementTypeOrSelf(x.getType())))
      inputs.insert(x);
  if (inputs.empty())
    throw std::runtime_error("--x-format: expected a kernel that multiplies rows of f32, f16 or bf16");
  for (BlockArgument x : inputs) {
    auto rows = cast<RankedTensorType>(x.getType());
    std::string name = graph.getInputName(x.getArgNumber()).str();
    OpBuilder builder = OpBuilder::atBlockBegin(&graph.getBody().front());
    auto insert = [&](Type type, const std::string &name) {
      unsigned number = x.getArgNumber() + 1;
      (void)graph.insertArgument(number, type, {}, x.getLoc());
      graph.setInputName(number, name);
      return graph.getArgument(number);
    };
    Value scales = insert(RankedTensorType::get({rows.getDimSize(0), 1}, builder.getF32Type()), name + "_scales");
    Value codes = insert(rows.clone(element), name + "_codes");
    x.replaceAllUsesWith(DequantizeRowsOp::create(builder, x.getLoc(), rows, codes, scales));
    (void)graph.eraseArgument(x.getArgNumber());
  }
}

/// Throws std::runtime_error if the graph has a cache of e4m3fnuz and a chip can't append to it.
static void requireConversions(GraphOp graph, ArrayRef<Target> targets) {
  auto readsFloats = [](AttentionOp op) { return isa<Float8E4M3FNUZType>(getElementTypeOrSelf(op.getK().getType())); };
  if (llvm::none_of(graph.getBody().getOps<AttentionOp>(), readsFloats))
    return;
  for (const Target &target : targets)
    if (TargetView(target.attribute(graph->getContext())).fp8() != "fnuz")
      throw std::runtime_error("expected a chip with conversions of e4m3fnuz for keys and values of it but got " +
                               target.name + ", which has those of i8");
}

KernelCompilation::KernelCompilation(MLIRContext &context, const KernelDescription &description, KernelRequest asked,
                                     TimingScope &timing)
    : context(context), description(description), request(std::move(asked)), timing(timing) {
  if (request.name.empty())
    request.name = kernelIdentifier(description.getName());
  if (std::string identifier = kernelIdentifier(request.name); identifier != request.name)
    throw std::runtime_error("--name: expected an identifier of C such as '" + identifier + "' but got '" +
                             support::escape(request.name) + "'");
}

LogicalResult KernelCompilation::run(Stage last) {
  std::vector<Target> targets;
  for (const std::string &name : request.compile.targets)
    targets.push_back(findTarget(name));
  requireOneTargetPerChip(targets);
  context.loadDialect<NSTFDialect>();
  OwningOpRef<ModuleOp> module = description.makeModule(request.values, request.runtimeRows, context);
  if (!module)
    return failure();
  GraphOp graph = *module->getOps<GraphOp>().begin();
  requireConversions(graph, targets);
  request.runtimeRows =
      llvm::any_of(graph.getArgumentTypes(), [](Type type) { return !cast<RankedTensorType>(type).hasStaticShape(); });
  if (!request.compile.quantize.empty())
    makeWeights(graph, request.compile.quantize);
  if (!request.rowCodes.empty())
    makeRows(graph, request.rowCodes);
  CompileOptions options = request.compile;
  options.maxTokens = graph.getContext();
  options.precision = Precision::F32; // its tensors have explicit types
  options.overrides.oneBucket = true;
  options.overrides.symbol = makeSymbol(request, *module);
  options.makeModule = [&](MLIRContext &) { return std::move(module); };
  compilation.emplace(context, std::move(options), timing);
  if (failed(compilation->run(std::min(last, Stage::Fused))))
    return failure();
  auto steps = llvm::range_size(compilation->getGraph().getBody().getOps<StepOp>());
  if (last > Stage::Fused && steps != 1)
    return emitError(compilation->getGraph().getLoc())
           << "expected operations that make one launch but got " << steps << " launches";
  return last > Stage::Fused ? compilation->resume(last) : success();
}

namespace {

/// An argument's name and description in the header: those of the graph, not of the template.
struct ArgumentNames {
  std::string name, about;
  bool areCodes = false;
};

/// Describes the layout of a quantised matrix's plane, for programs that fill it.
std::string describePlane(PlaneSourceAttr source) {
  CodeFormat format = source.getFormat();
  std::string of = source.getMatrix().str() + " in " + getFormatName(format, source.getZeros());
  auto describeWord = [](int64_t bits) {
    return "; of a word's, code j begins at bit " + std::to_string(bits) + " * (j / 2) + 16 * (j % 2)";
  };
  switch (source.getPlane()) {
  case Plane::codes:
    if (format.getNumberType())
      return "the codes of " + of + ", none of them 0x80 (NaN)";
    return format.isPacked() ? "the low 4 bits of the codes of " + of + describeWord(4)
                             : "the codes of " + of + ", each less 128";
  case Plane::high:
    return "the other bits of the codes of " + of + describeWord(format.getHighBits());
  case Plane::scales:
    return "the scales of " + of + ": number = scale * " +
           (source.getZeros()        ? std::string("(code - zero)")
            : format.getNumberType() ? "code"
                                     : "(code - " + std::to_string(format.getMiddle()) + ")") +
           ", of each " + std::to_string(format.getGroupSize()) + " columns";
  case Plane::zeros:
    return "the codes of " + of + " that stand for 0; of a word's, row j's begins at bit " +
           std::to_string(format.getBits()) + " * j";
  case Plane::order:
    return "the inputs that columns of " + of + " belong to";
  }
  llvm_unreachable("all planes are listed");
}

ArgumentNames getNames(GraphOp graph, const KernelDescription &description, const LaunchInfo::Argument &argument) {
  if (argument.kind == LaunchInfo::Argument::Control)
    return {"control", ""};
  if (argument.kind == LaunchInfo::Argument::Scratch)
    return {argument.name, "memory for the launch alone: what it holds before means nothing"};
  if (argument.kind == LaunchInfo::Argument::Zeros)
    return {argument.name, "memory for the launch alone: zero before the first launch, and each leaves it zero"};
  StepOp step = *graph.getBody().getOps<StepOp>().begin();
  if (argument.kind == LaunchInfo::Argument::Result) {
    auto outputs = graph.getReturn().getValues();
    return {graph.getOutputName(llvm::find(outputs, step.getOutputs()[argument.index]).getIndex()).str(), ""};
  }
  // Weights and states are arguments like all others: the caller of the kernel passes every buffer.
  Value value = step.getInputs()[argument.index];
  auto input = dyn_cast<BlockArgument>(value);
  StringRef name = input ? graph.getInputName(input.getArgNumber()) : value.getDefiningOp<GetOp>().getSymbol();
  auto weight =
      input ? WeightOp()
            : SymbolTable::lookupNearestSymbolFrom<WeightOp>(graph, value.getDefiningOp<GetOp>().getSymbolAttr());
  if (std::optional<PlaneSourceAttr> plane = weight ? weight.getPlane() : std::nullopt) {
    auto [matrix, rest] = name.rsplit('.');
    return {(matrix + "_" + rest).str(), describePlane(*plane),
            llvm::is_contained({Plane::codes, Plane::high, Plane::zeros}, plane->getPlane())};
  }
  return {name.str(), description.getInputAbout(name)};
}

KernelHeader::Launch getLaunch(const CompiledTarget &target, bool runtimeRows) {
  const KernelVariant &variant = target.plan.variants.front();
  KernelHeader::Launch launch{target.target.chip, describeKernel(variant, target.target)};
  const LaunchInfo::Part &part = variant.launch.parts.front(); // the graph has one launch with one part
  for (const auto &[extent, tile] : part.grid) {
    int64_t size = part.parameters.at(extent);
    auto growing = part.perToken.find(extent);
    if (runtimeRows && growing != part.perToken.end() && growing->second > 0) {
      launch.rowsFactor = growing->second;
      launch.rowsTile = tile;
      continue;
    }
    launch.workgroups *= llvm::divideCeil(size, tile);
  }
  return launch;
}

} // namespace

/// The command that makes this kernel again, without output files, which don't affect the kernel.
std::string KernelCompilation::makeCommand() const {
  std::string command = "nstfc kernel " + description.getSource();
  for (const KernelOption &option : description.getOptions())
    if (auto value = request.values.find(option.key); value != request.values.end())
      command += " " + KernelDescription::getFlag((request.runtimeRows && option.isRows ? "max_" : "") + option.key) +
                 "=" + value->second;
  if (request.name != kernelIdentifier(description.getName()))
    command += " --name=" + request.name;
  for (const std::string &setting : request.compile.overrides.tuning.getTexts())
    command += " --set=" + setting;
  if (!request.compile.overrides.plan.empty())
    command += " --plan=" + request.compile.overrides.plan;
  if (!request.compile.quantize.empty())
    command += " --w-format=" + request.compile.quantize;
  if (!request.rowCodes.empty())
    command += " --x-format=" + request.rowCodes;
  if (request.compile.waveSize)
    command += " --wave-size=" + std::to_string(request.compile.waveSize);
  return command + " --target=" + llvm::join(request.compile.targets, ",");
}

KernelHeader KernelCompilation::describe() const {
  GraphOp graph = compilation->getGraph();
  KernelHeader header;
  header.name = request.name;
  header.about = description.getAbout();
  header.command = makeCommand();
  header.compiler = compilerName;
  for (const KernelOption &option : description.getOptions())
    if (auto value = request.values.find(option.key); value != request.values.end())
      header.values.push_back({(request.runtimeRows && option.isRows ? "max_" : "") + option.key, value->second});
  if (request.runtimeRows)
    header.maxRows = graph.getContext();
  const LaunchInfo &info = compilation->getTargets().front().plan.variants.front().launch;
  header.readsTokens = info.readsTokens;
  header.readsPosition = info.readsPosition;
  std::vector<ArgumentNames> names;
  for (auto [i, argument] : llvm::enumerate(info.arguments)) {
    names.push_back(getNames(graph, description, argument));
    header.argumentAbouts.push_back(names.back().about);
    header.argumentsAreCodes.push_back(names.back().areCodes);
    header.argumentsAreOwn.push_back(argument.isOwn());
    if (argument.kind == LaunchInfo::Argument::Control)
      header.control = i;
  }
  for (const CompiledTarget &target : compilation->getTargets()) {
    header.launches.push_back(getLaunch(target, request.runtimeRows));
    manifest::Kernel &kernel = header.launches.back().kernel;
    const manifest::KernelArgument &last = kernel.arguments.back();
    if (kernel.kernargSize != last.offset + last.size)
      throw std::runtime_error("expected " + std::to_string(last.offset + last.size) +
                               " bytes of arguments and no hidden ones but got " + std::to_string(kernel.kernargSize));
    for (auto [i, argument] : llvm::enumerate(kernel.arguments))
      argument.name = names[i].name;
  }
  return header;
}

FailureOr<std::string> KernelCompilation::getCosts() {
  TemplateFiles files = getTemplateFiles(request.compile.overrides);
  KernelOp kernel = *compilation->getModel().getOps<KernelOp>().begin();
  int64_t tokens = compilation->getMaxTokens();
  KernelChooser chooser(kernel, tokens, files);
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const CompiledTarget &target : compilation->getTargets()) {
    FailureOr<KernelChoice> choice = chooser.choose(tokens, target.target, request.compile.overrides.tuning);
    if (failed(choice))
      return failure();
    FailureOr<systolic::Cost> cost = chooser.estimate(*choice, tokens, target.target);
    if (failed(cost))
      return failure();
    os << target.target.name << " " << choice->templateName << ": ";
    if (!cost->isLegal()) {
      os << cost->refusal << "\n";
      continue;
    }
    os << llvm::format("%.2f", cost->microseconds) << " us, limited by " << cost->limiter << "; " << cost->workgroups
       << " workgroups in " << cost->rounds << " rounds, " << cost->perComputeUnit << " on a compute unit; about "
       << cost->registers << " registers, " << cost->ldsBytes << " bytes of LDS\n";
  }
  return text;
}

std::string KernelCompilation::getPlans() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const CompiledTarget &target : compilation->getTargets()) {
    os << "// " << request.name << " for " << target.target.name << "\n";
    ModuleOp(target.module).walk([&](LoopLikeOpInterface loop) {
      if (Attribute plan = loop->getAttr(systolic::planAttributeName))
        os << plan << "\n";
    });
  }
  return text;
}

void KernelCompilation::write(const Files &files) const {
  std::vector<std::pair<std::string, std::string_view>> objects;
  for (const CompiledTarget &target : compilation->getTargets())
    objects.push_back({target.target.chip, target.codeObject});
  std::string bytes = bundleCodeObjects(objects), header, launch;
  if (!files.header.empty())
    header = kernelHeaderText(describe());
  if (!files.launch.empty()) {
    support::LaunchFileText text = makeKernelLaunchFile(describe());
    text.codeObject = support::nameFor(files.object, files.launch);
    launch = text.str();
  }
  std::vector<std::pair<std::filesystem::path, std::string_view>> written;
  for (const auto &[path, contents] : {std::pair<const std::filesystem::path &, std::string_view>(files.object, bytes),
                                       {files.header, header},
                                       {files.launch, launch}})
    if (!path.empty())
      written.push_back({path, contents});
  support::writeFiles(written);
}
