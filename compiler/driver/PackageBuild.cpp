// Converts a finished compilation to the package writer's input (PackageBuild.h).
#include "compiler/driver/PackageBuild.h"
#include "compiler/driver/DeviceMemory.h"
#include "compiler/driver/KernelFacts.h"
#include "compiler/driver/StepOrder.h"
#include "compiler/quantize/QuantizedMatrix.h"
#include "nstf/Tokenizer.h"
#include "support/SinCos.h"
#include "llvm/Config/llvm-config.h"

#include <stdexcept>

using namespace mlir;
using namespace nstf;

namespace {

constexpr unsigned codeObjectVersion = 5;

/// The printed form of a type or attribute.
template <typename Printed> std::string getText(Printed printed) {
  std::string text;
  llvm::raw_string_ostream(text) << printed;
  return text;
}

std::string getName(Location loc, StringRef otherwise) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().str();
  std::string name;
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (isa<NameLoc>(part))
        name += (name.empty() ? "" : " + ") + getName(part, otherwise);
  return name.empty() ? otherwise.str() : name;
}

void readField(Attribute attribute, std::optional<bool> &field) {
  if (auto value = dyn_cast<BoolAttr>(attribute))
    field = value.getValue();
}
void readField(Attribute attribute, std::optional<double> &field) {
  if (auto value = dyn_cast<FloatAttr>(attribute))
    field = value.getValueAsDouble();
}
void readField(Attribute attribute, std::optional<int64_t> &field) {
  if (auto value = dyn_cast<IntegerAttr>(attribute))
    field = value.getInt();
}

class PackageBuilder {
public:
  explicit PackageBuilder(const Compilation &compilation)
      : compilation(compilation), model(compilation.getModel()), graph(compilation.getGraph()) {
    inputs.manifest.compiler = "nstf " NSTF_VERSION ", LLVM " LLVM_VERSION_STRING;
    addModel();
    memory.emplace(compilation, inputs.manifest);
  }

  PackageInputs build() {
    addTextFiles();
    addWeights();
    addLimits();
    for (const CompiledTarget &target : compilation.getTargets())
      addTarget(target);
    return std::move(inputs);
  }

  manifest::Manifest plan() {
    for (const CompiledTarget &target : compilation.getTargets())
      inputs.manifest.targets.push_back(describeChip(target));
    return std::move(inputs.manifest);
  }

private:
  void addModel() {
    manifest::Model &facts = inputs.manifest.model;
    facts.name = std::filesystem::path(compilation.getOptions().input).lexically_normal().stem().string();
    facts.context = graph.getContext();
    facts.precision = manifest::elementTypeFromName(getName(compilation.getPrecision().type));
    auto attribute = model->getAttrOfType<DictionaryAttr>(NSTFDialect::modelAttributeName);
    if (!attribute)
      return;
    if (auto name = attribute.getAs<StringAttr>("name"); name && !name.empty())
      facts.name = name.str();
    if (auto architecture = attribute.getAs<StringAttr>("architecture"))
      facts.architecture = architecture.str();
    if (auto vocabulary = attribute.getAs<IntegerAttr>("vocabulary"); vocabulary && vocabulary.getInt() > 0)
      facts.vocabulary = vocabulary.getInt();
    if (auto bos = attribute.getAs<IntegerAttr>("bos"); bos && bos.getInt() >= 0)
      facts.bos = bos.getInt();
    if (auto eos = attribute.getAs<DenseI64ArrayAttr>("eos"))
      facts.eos.assign(eos.asArrayRef().begin(), eos.asArrayRef().end());
    // The form of handwritten .mlir files: eos = [2].
    if (auto eos = attribute.getAs<ArrayAttr>("eos"))
      for (Attribute id : eos) {
        auto number = dyn_cast<IntegerAttr>(id);
        if (!number)
          throw std::runtime_error("nstf.model: expected eos to be integers but got " + getText(eos));
        facts.eos.push_back(number.getInt());
      }
    if (auto sampling = attribute.getAs<DictionaryAttr>("sampling"))
      manifest::Sampling::forEach(facts.sampling.emplace(), [&](const char *key, auto &field) {
        Attribute value = sampling.get(key);
        if (!value)
          return;
        readField(value, field);
        if (!field)
          throw std::runtime_error("nstf.model: expected sampling to have a " + std::string(key) +
                                   " of its type but got " + getText(value));
      });
    if (auto tokenizer = attribute.getAs<StringAttr>("tokenizer"); tokenizer && !tokenizer.empty()) {
      inputs.tokenizerFile = tokenizer.str();
      facts.tokenizer.kind = runtime::Tokenizer::kindOf(inputs.tokenizerFile);
      facts.tokenizer.file = std::filesystem::path(inputs.tokenizerFile).filename().string();
    }
  }

  /// Adds the text files that compilation doesn't need, from the tokenizer's folder or, without a tokenizer, the
  /// model's.
  void addTextFiles() {
    inputs.chatTemplate = compilation.getChatTemplate();
    std::filesystem::path input = compilation.getOptions().input, tokenizer = inputs.tokenizerFile;
    std::error_code ignored;
    if (tokenizer.empty() && !std::filesystem::is_directory(input, ignored))
      return;
    std::filesystem::path folder = tokenizer.empty() ? input : tokenizer.parent_path();
    auto find = [&](const char *name) {
      std::filesystem::path file = folder / name;
      return std::filesystem::exists(file, ignored) ? file.string() : "";
    };
    inputs.tokenizerConfig = find("tokenizer_config.json");
    if (tokenizer.empty())
      return;
    runtime::TokenizerSideFiles beside = runtime::Tokenizer::sideFilesOf(tokenizer);
    inputs.specialTokens = beside.specialTokens.string();
    inputs.addedTokens = beside.addedTokens.string();
  }

  void addWeights() {
    manifest::Weights &weights = inputs.manifest.weights;
    weights.mode = compilation.getOptions().weights;
    weights.seed = compilation.getOptions().seed;
    for (WeightOp weight : model.getOps<WeightOp>())
      inputs.weightOrigins.push_back(getOrigin(weight));
  }

  WeightOrigin getOrigin(WeightOp weight) {
    if (auto generator = weight.getGenerator())
      return getTable(weight, *generator);
    if (auto plane = weight.getPlane())
      return getPlane(*plane);
    if (auto source = weight.getSource())
      return WeightInFile{source->getPath().str(),
                          uint64_t(source->getOffset()),
                          getElementType(source->getStoredType()),
                          {0, source->getSizes(), source->getStrides()}};
    return std::monostate();
  }

  static ComputedWeight getTable(WeightOp weight, RopeTableAttr table) {
    if (!cast<RankedTensorType>(weight.getType()).getElementType().isF32())
      throw std::runtime_error("expected the computed weight '" + weight.getSymName().str() + "' to be f32 but got " +
                               getText(weight.getType()));
    return {[frequencies = std::span<const double>(table.getInvFreq().asArrayRef()),
             scale = table.getScale().getValueAsDouble()](int64_t row, std::span<std::byte> bytes) {
      std::span<float> values(reinterpret_cast<float *>(bytes.data()), bytes.size() / sizeof(float));
      auto [cosines, sines] = std::pair(values.first(frequencies.size()), values.last(frequencies.size()));
      support::fillSinCos(double(row), frequencies, scale, cosines, sines);
    }};
  }

  /// A plane's bytes are computed from the matrix while the plane is written.
  WeightOrigin getPlane(PlaneSourceAttr plane) {
    const CompileOptions &options = compilation.getOptions();
    if (options.weights == manifest::WeightsMode::None)
      return std::monostate();
    auto matrix = quantize::openMatrix(
        plane, options.weights == manifest::WeightsMode::Random ? std::optional(options.seed) : std::nullopt);
    if (!matrix)
      return std::monostate();
    return ComputedWeight{[matrix = *matrix, plane = quantize::getPlane(plane)](
                              int64_t row, std::span<std::byte> bytes) { matrix.fillRow(plane, row, bytes); }};
  }

  /// Limits an input that selects rows of a table to the rows that the table has.
  void addLimits() {
    for (StepOp step : graph.getBody().getOps<StepOp>()) {
      auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(step, step.getKernelAttr());
      kernel.walk([&](EmbeddingOp op) {
        auto ids = dyn_cast<BlockArgument>(op.getIds());
        auto input = ids ? dyn_cast<BlockArgument>(step.getInputs()[ids.getArgNumber()]) : BlockArgument();
        if (!input)
          return;
        int64_t rows = cast<RankedTensorType>(op.getTable().getType()).getDimSize(0);
        std::optional<int64_t> &limit = inputs.manifest.inputs[input.getArgNumber()].limit;
        limit = std::min(limit.value_or(rows), rows);
      });
    }
  }

  static Value getValue(StepOp step, const LaunchInfo::Argument &argument) {
    return argument.kind == LaunchInfo::Argument::Operand ? step.getInputs()[argument.index]
                                                          : step.getOutputs()[argument.index];
  }

  manifest::Bucket makeBucket(const BucketPlan &plan, const CompiledTarget &target) {
    manifest::Bucket bucket{plan.minTokens, plan.maxTokens, {}};
    std::vector<std::vector<MemoryTouch>> touches;
    for (auto [i, op] : llvm::enumerate(graph.getBody().getOps<StepOp>())) {
      StepOp step = op;
      const KernelVariant &variant = target.plan.variants[plan.kernels[i]];
      manifest::Step entry;
      entry.name = getName(step.getLoc(), step.getKernel());
      entry.kernel = plan.kernels[i];
      int64_t items = variant.launch.getWorkItems(plan.maxTokens);
      if (items < 1 || items > INT32_MAX)
        throw std::runtime_error("step " + entry.name + ": expected 1 to 2147483647 workgroups but got " +
                                 std::to_string(items));
      entry.grid = {uint32_t(items), 1, 1};
      touches.emplace_back();
      DeviceMemory::Own own(*memory);
      for (const LaunchInfo::Argument &argument : variant.launch.arguments) {
        if (argument.kind == LaunchInfo::Argument::Control) {
          entry.arguments.push_back(memory->locateControl());
          continue;
        }
        manifest::StepArgument place =
            argument.isOwn() ? own.locate(argument) : memory->locate(getValue(step, argument));
        entry.arguments.push_back(place);
        uint64_t size = memory->getBytes(getValueType(variant, argument));
        touches.back().push_back({place.buffer, place.offset, place.offset + size, argument.access != "read"});
      }
      bucket.steps.push_back(std::move(entry));
    }
    std::vector<std::vector<uint32_t>> after = orderSteps(touches);
    for (auto [step, earlier] : llvm::zip_equal(bucket.steps, after))
      step.after = earlier;
    return bucket;
  }

  static manifest::Target describeChip(const CompiledTarget &target) {
    manifest::Target entry;
    entry.id = target.target.chip;
    if (target.target.name != target.target.chip)
      entry.name = target.target.name;
    entry.deviceMemory = target.target.memoryBytes;
    return entry;
  }

  void addTarget(const CompiledTarget &target) {
    manifest::Target entry = describeChip(target);
    entry.codeObjectVersion = codeObjectVersion;
    for (const KernelVariant &variant : target.plan.variants)
      entry.kernels.push_back(describeKernel(variant, target.target));
    addArenaMap(entry);
    for (const BucketPlan &bucket : target.plan.buckets)
      entry.buckets.push_back(makeBucket(bucket, target));
    inputs.manifest.targets.push_back(std::move(entry));
    inputs.codeObjects.push_back(target.codeObject.str());
  }

  void addArenaMap(manifest::Target &target) {
    target.arenaPeak = memory->getArenaBytes();
    SmallVector<StepOp> steps(graph.getBody().getOps<StepOp>());
    DenseMap<Operation *, uint32_t> numbers;
    for (auto [i, step] : llvm::enumerate(steps))
      numbers[step] = i;
    for (auto [i, step] : llvm::enumerate(steps))
      for (OpResult value : step->getResults()) {
        if (getStorage(value, symbols).kind != Storage::Arena)
          continue;
        uint32_t last = i;
        for (Operation *user : value.getUsers())
          if (auto number = numbers.find(user); number != numbers.end())
            last = std::max(last, number->second);
        target.arenaValues.push_back({getName(step.getLoc(), step.getKernel()), memory->locate(value).offset,
                                      memory->getBytes(value.getType()), uint32_t(i), last});
      }
  }

  const Compilation &compilation;
  ModuleOp model;
  GraphOp graph;
  SymbolTableCollection symbols;
  PackageInputs inputs;
  std::optional<DeviceMemory> memory;
};

} // namespace

PackageInputs nstf::buildPackage(const Compilation &compilation) { return PackageBuilder(compilation).build(); }

manifest::Manifest nstf::planPackage(const Compilation &compilation) { return PackageBuilder(compilation).plan(); }
