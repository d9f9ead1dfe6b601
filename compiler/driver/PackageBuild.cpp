// A finished compilation as what the package writer takes (PackageBuild.h).
#include "compiler/driver/PackageBuild.h"
#include "compiler/driver/KernelFacts.h"
#include "compiler/driver/StepOrder.h"
#include "compiler/quantize/QuantizedMatrix.h"
#include "nstf/Tokenizer.h"
#include "passes/nstf/FormedGraph.h"
#include "passes/nstf/WeightFormat.h"
#include "support/ControlBlock.h"
#include "support/SinCos.h"
#include "llvm/Config/llvm-config.h"

#include <stdexcept>

using namespace mlir;
using namespace nstf;
using support::ControlBlock;

namespace {

constexpr unsigned codeObjectVersion = 5;

/// Of the pieces of scratch memory, bytes.
constexpr uint64_t ownAlignment = 256;

/// A type or attribute as it is printed.
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
      : compilation(compilation), model(compilation.getModel()), graph(compilation.getGraph()),
        maxTokens(model->getAttrOfType<IntegerAttr>(NSTFDialect::maxTokensAttributeName).getInt()) {}

  PackageInputs build() {
    inputs.manifest.compiler = "nstf " NSTF_VERSION ", LLVM " LLVM_VERSION_STRING;
    addModel();
    addTextFiles();
    addWeights();
    addBuffers();
    addLimits();
    for (const CompiledTarget &target : compilation.getTargets())
      addTarget(target);
    return std::move(inputs);
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
    // As people write it in .mlir: eos = [2].
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

  /// What lies beside the tokenizer, or where there is none in the model's folder, and isn't needed to compile.
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
    for (WeightOp weight : model.getOps<WeightOp>()) {
      auto type = cast<RankedTensorType>(weight.getType());
      weightNumbers[weight.getSymName()] = weights.tensors.size();
      weights.tensors.push_back({weight.getSymName().str(), getElementType(type), getShape(type), 0, 0, {}});
      if (auto plane = weight.getPlane())
        weights.tensors.back().plane = {getFormatName(plane->getFormat(), plane->getZeros()),
                                        stringifyPlane(plane->getPlane()).str()};
      inputs.weightOrigins.push_back(getOrigin(weight));
    }
    weightBytes = layoutWeights(weights);
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

  /// Made of the matrix as the plane is written.
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

  size_t addBuffer(std::string name, manifest::BufferKind kind, uint64_t size) {
    inputs.manifest.buffers.push_back({std::move(name), kind, size, {}, {}});
    return inputs.manifest.buffers.size() - 1;
  }

  size_t addBuffer(std::string name, manifest::BufferKind kind, RankedTensorType type) {
    size_t number = addBuffer(std::move(name), kind, getBytes(type));
    inputs.manifest.buffers[number].type = getElementType(type);
    inputs.manifest.buffers[number].shape = getShape(type);
    return number;
  }

  uint64_t getBytes(Type type) const {
    auto tensor = cast<RankedTensorType>(type);
    return getShape(tensor).bytes(getElementType(tensor), maxTokens);
  }

  void addBuffers() {
    manifest::Manifest &manifest = inputs.manifest;
    if (weightBytes)
      manifest.weights.buffer = addBuffer("weights", manifest::BufferKind::Weights, weightBytes);
    if (auto size = graph->getAttrOfType<IntegerAttr>(NSTFDialect::arenaSizeAttributeName); size && size.getInt() > 0)
      arena = addBuffer("arena", manifest::BufferKind::Arena, size.getInt());
    addScratch();
    control = addBuffer("control", manifest::BufferKind::Control, sizeof(ControlBlock));
    manifest.control = {control, sizeof(ControlBlock), offsetof(ControlBlock, tokens),
                        offsetof(ControlBlock, position)};
    for (unsigned i = 0; i < graph.getNumArguments(); ++i) {
      auto type = cast<RankedTensorType>(graph.getArgumentTypes()[i]);
      std::string name = graph.getArgAttrOfType<StringAttr>(i, NSTFDialect::nameAttributeName).str();
      inputBuffers.push_back(addBuffer(name, manifest::BufferKind::Input, type));
      manifest.inputs.push_back({name, getElementType(type), getShape(type), inputBuffers.back()});
    }
    for (unsigned i = 0; i < graph.getNumResults(); ++i) {
      auto type = cast<RankedTensorType>(graph.getResultTypes()[i]);
      std::string name = graph.getResultAttrOfType<StringAttr>(i, NSTFDialect::nameAttributeName).str();
      outputBuffers.push_back(addBuffer(name, manifest::BufferKind::Output, type));
      manifest.outputs.push_back({name, getElementType(type), getShape(type), outputBuffers.back()});
    }
    for (StateOp state : model.getOps<StateOp>())
      stateBuffers[state.getSymName()] =
          addBuffer(state.getSymName().str(), manifest::BufferKind::State, cast<RankedTensorType>(state.getType()));
  }

  /// What launches have for themselves, one after the other the same: first what is zero between them.
  void addScratch() {
    uint64_t size = 0;
    for (const CompiledTarget &target : compilation.getTargets())
      for (const KernelVariant &variant : target.plan.variants)
        zeroBytes = std::max(zeroBytes, getOwnBytes(variant, LaunchInfo::Argument::Zeros));
    for (const CompiledTarget &target : compilation.getTargets())
      for (const KernelVariant &variant : target.plan.variants)
        size = std::max(size, getOwnBytes(variant, LaunchInfo::Argument::Scratch));
    if (zeroBytes + size)
      scratch = addBuffer("scratch", manifest::BufferKind::Scratch, zeroBytes + size);
  }

  static uint64_t getOwnBytes(const LaunchInfo::Argument &argument) {
    return llvm::alignTo(argument.memory.getNumElements() * argument.memory.getElementTypeBitWidth() / 8, ownAlignment);
  }
  static uint64_t getOwnBytes(const KernelVariant &variant, LaunchInfo::Argument::Kind kind) {
    uint64_t bytes = 0;
    for (const LaunchInfo::Argument &argument : variant.launch.arguments)
      bytes += argument.kind == kind ? getOwnBytes(argument) : 0;
    return bytes;
  }

  /// The place of a launch's own memory behind that of its arguments before.
  manifest::StepArgument locateOwn(const LaunchInfo::Argument &argument, uint64_t &zeros, uint64_t &others) {
    uint64_t &next = argument.kind == LaunchInfo::Argument::Zeros ? zeros : others;
    uint64_t offset = next;
    next += getOwnBytes(argument);
    return {*scratch, offset};
  }

  /// An input that chooses rows of a table may not name rows the table has not.
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

  manifest::StepArgument locate(Value value) {
    Storage storage = getStorage(value, symbols);
    switch (storage.kind) {
    case Storage::Input:
      return {inputBuffers[storage.index], 0};
    case Storage::Output:
      return {outputBuffers[storage.index], 0};
    case Storage::Symbol:
      if (auto weight = weightNumbers.find(storage.symbol.getValue()); weight != weightNumbers.end())
        return {*inputs.manifest.weights.buffer, inputs.manifest.weights.tensors[weight->second].offset};
      return {stateBuffers.at(storage.symbol.getValue()), 0};
    case Storage::Arena:
      auto result = cast<OpResult>(value);
      return {*arena, uint64_t((*cast<StepOp>(result.getOwner()).getOffsets())[result.getResultNumber()])};
    }
    llvm_unreachable("all kinds are listed");
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
      uint64_t zeros = 0, others = zeroBytes;
      for (const LaunchInfo::Argument &argument : variant.launch.arguments) {
        if (argument.kind == LaunchInfo::Argument::Control) {
          entry.arguments.push_back({control, 0});
          continue;
        }
        manifest::StepArgument place =
            argument.isOwn() ? locateOwn(argument, zeros, others) : locate(getValue(step, argument));
        entry.arguments.push_back(place);
        uint64_t size = getBytes(getValueType(variant, argument));
        touches.back().push_back({place.buffer, place.offset, place.offset + size, argument.access != "read"});
      }
      bucket.steps.push_back(std::move(entry));
    }
    std::vector<std::vector<uint32_t>> after = orderSteps(touches);
    for (auto [step, earlier] : llvm::zip_equal(bucket.steps, after))
      step.after = earlier;
    return bucket;
  }

  void addTarget(const CompiledTarget &target) {
    manifest::Target entry;
    entry.id = target.target.chip;
    if (target.target.name != target.target.chip)
      entry.name = target.target.name;
    entry.codeObjectVersion = codeObjectVersion;
    entry.deviceMemory = target.target.memoryBytes;
    for (const KernelVariant &variant : target.plan.variants)
      entry.kernels.push_back(describeKernel(variant, target.target));
    addArenaMap(entry);
    for (const BucketPlan &bucket : target.plan.buckets)
      entry.buckets.push_back(makeBucket(bucket, target));
    inputs.manifest.targets.push_back(std::move(entry));
    inputs.codeObjects.push_back(target.codeObject.str());
  }

  void addArenaMap(manifest::Target &target) {
    if (arena)
      target.arenaPeak = inputs.manifest.buffers[*arena].size;
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
        target.arenaValues.push_back({getName(step.getLoc(), step.getKernel()), locate(value).offset,
                                      getBytes(value.getType()), uint32_t(i), last});
      }
  }

  const Compilation &compilation;
  ModuleOp model;
  GraphOp graph;
  int64_t maxTokens;
  SymbolTableCollection symbols;
  PackageInputs inputs;
  uint64_t weightBytes = 0;
  std::optional<size_t> arena, scratch;
  uint64_t zeroBytes = 0; ///< of scratch, at its begin: zero between launches
  size_t control = 0;
  std::vector<size_t> inputBuffers, outputBuffers;
  llvm::StringMap<size_t> stateBuffers, weightNumbers;
};

} // namespace

PackageInputs nstf::buildPackage(const Compilation &compilation) { return PackageBuilder(compilation).build(); }
