// Reads the kernels, buckets and steps of a manifest.
//
// A step is checked at the largest number of tokens of its bucket. Every argument's tensor must lie inside its buffer,
// with the alignment for which the kernel was compiled, and nothing may write weights, inputs or the control block.
#include "runtime/model/ManifestReader.h"
#include "support/Escape.h"

#include <algorithm>
#include <map>
#include <set>

namespace nstf::manifest {

namespace {

constexpr uint64_t maxUInt32 = 0xffffffff;
constexpr uint64_t maxKernargSize = 4096; // bytes; HIP's limit

std::array<uint32_t, 3> readDim3(const support::JsonCursor &value, uint64_t max) {
  std::vector<support::JsonCursor> items = value.elements(3, 3);
  std::array<uint32_t, 3> result;
  for (int i = 0; i < 3; ++i)
    result[i] = static_cast<uint32_t>(items[i].integer(1, max));
  return result;
}

uint32_t readCount(const support::JsonCursor &object, const char *key) {
  std::optional<support::JsonCursor> value = object.find(key);
  return value ? static_cast<uint32_t>(value->integer(0, maxUInt32)) : 0;
}

KernelArgument readKernelArgument(const support::JsonCursor &item, uint32_t kernargSize) {
  KernelArgument argument;
  argument.name = item["name"].string();
  argument.offset = item["offset"].integer(0, maxKernargSize);
  argument.size = item["size"].integer(8, 8);
  item["kind"].getChoice({"buffer"});
  argument.type = readElementType(item["type"]);
  argument.shape = readShape(item["shape"], /*allowTokens=*/true);
  argument.shape.order = readOrder(item, argument.shape, argument.type);
  argument.alignment = item["alignment"].integer(1, 4096);
  argument.access = static_cast<Access>(item["access"].getChoice({"read", "write", "read_write"}));
  if ((argument.alignment & (argument.alignment - 1)) != 0)
    item["alignment"].failExpected("a power of two");
  if (argument.offset % 8 != 0 || argument.offset + argument.size > kernargSize)
    item["offset"].failExpected("a multiple of 8 that leaves 8 bytes of kernarg_size " + std::to_string(kernargSize));
  return argument;
}

TiledExtent readTiledExtent(const support::JsonCursor &item) {
  std::optional<support::JsonCursor> perToken = item.find("per_token");
  if (perToken && item.find("extent"))
    item.fail("expected \"extent\" or \"per_token\" but got both");
  uint64_t extent = (perToken ? *perToken : item["extent"]).integer(1, maxBytes);
  return {extent, perToken.has_value(), item["tile"].integer(1, maxBytes)};
}

Kernel readKernel(const support::JsonCursor &item) {
  Kernel kernel;
  kernel.symbol = item["symbol"].nonEmptyString();
  if (auto name = item.find("template"))
    kernel.templateName = name->string();
  kernel.waveSize = item["wave_size"].integer(32, 64);
  if (kernel.waveSize != 32 && kernel.waveSize != 64)
    item["wave_size"].failExpected("32 or 64");
  kernel.block = readDim3(item["block"], 1024);
  if (uint64_t(kernel.block[0]) * kernel.block[1] * kernel.block[2] > 1024)
    item["block"].fail("expected a workgroup of at most 1024 work items but the product is larger");
  kernel.lds = item["lds"].integer(0, 1 << 20);
  kernel.vgprs = readCount(item, "vgprs");
  kernel.agprs = readCount(item, "agprs");
  kernel.sgprs = readCount(item, "sgprs");
  kernel.scratch = readCount(item, "scratch");
  kernel.spills = readCount(item, "spills");
  kernel.occupancy = readCount(item, "occupancy");
  kernel.kernargSize = item["kernarg_size"].integer(0, maxKernargSize);
  if (auto tiling = item.find("tiling")) {
    kernel.tiling.emplace();
    for (const support::JsonCursor &axis : tiling->elements(0, 8))
      kernel.tiling->push_back(readTiledExtent(axis));
  }

  std::set<uint32_t> offsets;
  for (const support::JsonCursor &argument : item["arguments"].elements()) {
    kernel.arguments.push_back(readKernelArgument(argument, kernel.kernargSize));
    if (!offsets.insert(kernel.arguments.back().offset).second)
      argument["offset"].failExpected("an offset no other argument has");
  }
  return kernel;
}

void readArena(const support::JsonCursor &value, const Manifest &manifest, Target &target) {
  uint64_t size = 0;
  for (const Buffer &buffer : manifest.buffers)
    if (buffer.kind == BufferKind::Arena)
      size = buffer.size;
  target.arenaPeak = value["peak"].integer(0, maxBytes);
  if (target.arenaPeak > size)
    value["peak"].failExpected("at most the " + std::to_string(size) + " bytes of the arena");
  std::size_t steps = 0;
  for (const Bucket &bucket : target.buckets)
    steps = std::max(steps, bucket.steps.size());
  for (const support::JsonCursor &item : value["values"].elements()) {
    ArenaValue arena;
    arena.name = item["name"].string();
    arena.offset = item["offset"].integer(0, maxBytes);
    arena.size = item["size"].integer(0, maxBytes);
    arena.firstStep = item["first_step"].integer(0, maxUInt32);
    arena.lastStep = item["last_step"].integer(0, maxUInt32);
    if (arena.offset + arena.size > target.arenaPeak)
      item["offset"].failExpected("a place below the peak " + std::to_string(target.arenaPeak) + " for " +
                                  std::to_string(arena.size) + " bytes");
    if (arena.lastStep < arena.firstStep || arena.lastStep >= steps)
      item["last_step"].failExpected("a step from " + std::to_string(arena.firstStep) + " to " +
                                     std::to_string(steps - 1));
    target.arenaValues.push_back(std::move(arena));
  }
}

/// The contents of a manifest's buffers, by place.
class Places {
public:
  Places(const Manifest &manifest, const BufferNames &bufferNames)
      : manifest(manifest), bufferNames(bufferNames), portTypes(manifest.buffers.size()) {
    for (const auto *ports : {&manifest.inputs, &manifest.outputs})
      for (const Port &port : *ports)
        portTypes[port.buffer] = port.type;
    for (const Weight &weight : manifest.weights.tensors)
      weights.emplace(weight.offset, &weight);
  }

  StepArgument read(const support::JsonCursor &item) const {
    return {bufferNames.read(item["buffer"]), item["offset"].integer(0, maxBytes)};
  }

  /// The element type of the input, output, state or weight at a place, if any: the arena has values of different
  /// types.
  std::optional<ElementType> typeAt(const StepArgument &place) const {
    const Buffer &buffer = manifest.buffers[place.buffer];
    if (buffer.kind == BufferKind::Control)
      return ElementType::I32;
    if (buffer.kind == BufferKind::State)
      return buffer.type;
    if (buffer.kind != BufferKind::Weights)
      return portTypes[place.buffer];
    auto after = weights.upper_bound(place.offset);
    if (after == weights.begin())
      return std::nullopt;
    const Weight &weight = *std::prev(after)->second;
    return place.offset - weight.offset < weight.size ? std::optional(weight.type) : std::nullopt;
  }

private:
  const Manifest &manifest;
  const BufferNames &bufferNames;
  std::vector<std::optional<ElementType>> portTypes; // by buffer
  std::map<uint64_t, const Weight *> weights;        // by offset
};

void checkStepArgument(const support::JsonCursor &item, const StepArgument &argument, const KernelArgument &parameter,
                       const Manifest &manifest, const Places &places, int64_t maxTokens) {
  const Buffer &buffer = manifest.buffers[argument.buffer];
  // A state is bound as a whole, in its own memory order.
  std::optional<support::OperandOrder> order = buffer.shape ? buffer.shape->order : std::nullopt;
  if (order != parameter.shape.order)
    item.fail("expected " + (parameter.shape.order ? parameter.shape.order->str() : "rows") + " for argument \"" +
              support::escape(parameter.name) + "\" but \"" + support::escape(buffer.name) + "\" holds " +
              (order ? order->str() : "rows"));
  std::optional<uint64_t> extent = getExtent(parameter.shape, parameter.type, maxTokens);
  if (!extent || argument.offset > buffer.size || *extent > buffer.size - argument.offset)
    item["offset"].fail("expected the " + std::to_string(buffer.size) + " bytes of \"" + support::escape(buffer.name) +
                        "\" to hold " + parameter.shape.str() + " " + std::string(nameOf(parameter.type)) + " at " +
                        std::to_string(maxTokens) + " tokens for argument \"" + support::escape(parameter.name) +
                        "\" but offset " + std::to_string(argument.offset) + " leaves too little");
  if (argument.offset % parameter.alignment != 0)
    item["offset"].failExpected("a multiple of " + std::to_string(parameter.alignment) + ", the alignment of \"" +
                                support::escape(parameter.name) + "\",");
  std::optional<ElementType> type = places.typeAt(argument);
  if (type && *type != parameter.type)
    item.fail("expected " + std::string(nameOf(parameter.type)) + " for argument \"" + support::escape(parameter.name) +
              "\" but \"" + support::escape(buffer.name) + "\" holds " + std::string(nameOf(*type)) + " at offset " +
              std::to_string(argument.offset));
  if (!type && buffer.kind == BufferKind::Weights)
    item["offset"].fail("expected a weight at offset " + std::to_string(argument.offset) + " for argument \"" +
                        support::escape(parameter.name) + "\" but there is none");
  bool constant =
      buffer.kind == BufferKind::Weights || buffer.kind == BufferKind::Input || buffer.kind == BufferKind::Control;
  if (parameter.access != Access::Read && constant)
    item["buffer"].fail("expected memory that may be written for argument \"" + support::escape(parameter.name) +
                        "\" but \"" + support::escape(buffer.name) + "\" is of kind \"" +
                        std::string(nameOf(buffer.kind)) + "\"");
}

/// Checks that there is one workgroup for each part of the work: kernels do not check for superfluous workgroups.
void checkGrid(const support::JsonCursor &value, const std::array<uint32_t, 3> &grid, const Kernel &kernel,
               int64_t maxTokens) {
  for (int i = 0; i < 3; ++i)
    if (uint64_t(grid[i]) * kernel.block[i] > maxUInt32)
      value.fail("expected fewer than 2^32 work items a dimension but " + std::to_string(grid[i]) + " workgroups of " +
                 std::to_string(kernel.block[i]) + " have more");
  uint64_t count = uint64_t(grid[0]) * grid[1]; // below 2^62
  if (__builtin_mul_overflow(count, uint64_t(grid[2]), &count) || count > maxWorkgroups)
    value.fail("expected at most " + std::to_string(maxWorkgroups) + " workgroups but " + std::to_string(grid[0]) +
               " x " + std::to_string(grid[1]) + " x " + std::to_string(grid[2]) + " are more");
  if (!kernel.tiling)
    return;
  std::optional<uint32_t> wanted = kernel.workgroupsFor(maxTokens);
  if (!wanted || grid != std::array<uint32_t, 3>{*wanted, 1, 1})
    value.fail("expected [" + (wanted ? std::to_string(*wanted) : "more than 2^31") + ", 1, 1], the tiles of \"" +
               kernel.symbol + "\" in a step of " + std::to_string(maxTokens) + " tokens, but got [" +
               std::to_string(grid[0]) + ", " + std::to_string(grid[1]) + ", " + std::to_string(grid[2]) + "]");
}

/// Kernels of a target by symbol.
using KernelSymbols = std::map<std::string, std::size_t>;

Step readStep(const support::JsonCursor &item, std::size_t index, const Target &target, const KernelSymbols &symbols,
              const Manifest &manifest, const Places &places, int64_t maxTokens) {
  Step step;
  step.name = item["name"].string();
  std::string symbol = item["kernel"].string();
  auto known = symbols.find(symbol);
  if (known == symbols.end())
    item["kernel"].failExpected("a kernel of target " + target.id);
  step.kernel = known->second;
  const Kernel &kernel = target.kernels[step.kernel];
  step.grid = readDim3(item["grid"], maxInt32);
  if (auto device = item.find("device"))
    step.device = static_cast<uint32_t>(device->integer(0, 0)); // currently one device a package
  step.queue = readCount(item, "queue");
  if (auto after = item.find("after"))
    for (const support::JsonCursor &before : after->elements()) {
      step.after.push_back(static_cast<uint32_t>(before.integer(0, maxUInt32)));
      if (step.after.back() >= index)
        before.failExpected("an earlier step, below " + std::to_string(index) + ",");
    }
  std::vector<support::JsonCursor> arguments = item["arguments"].elements();
  if (arguments.size() != kernel.arguments.size())
    item["arguments"].failExpected("one for each of the " + std::to_string(kernel.arguments.size()) +
                                   " arguments of \"" + support::escape(symbol) + "\"");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    step.arguments.push_back(places.read(arguments[i]));
    checkStepArgument(arguments[i], step.arguments.back(), kernel.arguments[i], manifest, places, maxTokens);
  }
  checkGrid(item["grid"], step.grid, kernel, maxTokens);
  return step;
}

void readBuckets(const support::JsonCursor &value, const KernelSymbols &symbols, const Manifest &manifest,
                 const Places &places, Target &target) {
  for (const support::JsonCursor &item : value.elements(1)) {
    Bucket bucket;
    bucket.minTokens = item["min_tokens"].integer(1, maxInt32);
    bucket.maxTokens = item["max_tokens"].integer(1, maxInt32);
    if (bucket.maxTokens < bucket.minTokens)
      item["max_tokens"].failExpected("at least min_tokens, " + std::to_string(bucket.minTokens) + ",");
    if (!target.buckets.empty() && bucket.minTokens <= target.buckets.back().maxTokens)
      item["min_tokens"].failExpected("more than the " + std::to_string(target.buckets.back().maxTokens) +
                                      " of the bucket before");
    if (manifest.model.context && bucket.maxTokens > *manifest.model.context)
      item["max_tokens"].failExpected("at most the model's context of " + std::to_string(*manifest.model.context));
    for (const support::JsonCursor &step : item["steps"].elements(1))
      bucket.steps.push_back(readStep(step, bucket.steps.size(), target, symbols, manifest, places, bucket.maxTokens));
    for (const auto *ports : {&manifest.inputs, &manifest.outputs})
      for (const Port &port : *ports) {
        std::optional<uint64_t> extent = getExtent(port.shape, port.type, bucket.maxTokens);
        const Buffer &buffer = manifest.buffers[port.buffer];
        if (!extent || *extent > buffer.size)
          item["max_tokens"].failExpected("no more tokens than the " + std::to_string(buffer.size) + " bytes of \"" +
                                          support::escape(buffer.name) + "\" hold as " + port.shape.str() + " " +
                                          std::string(nameOf(port.type)));
      }
    target.buckets.push_back(std::move(bucket));
  }
}

std::string readTargetId(const support::JsonCursor &value) {
  std::string id = value.string();
  std::string_view processor = processorOf(id);
  bool good = processor.size() > 3 && processor.substr(0, 3) == "gfx" &&
              processor.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz-") == std::string_view::npos;
  // Features: ":sramecc+", ":xnack-".
  for (std::string_view rest = std::string_view(id).substr(processor.size()); good && !rest.empty();) {
    std::string_view feature = rest.substr(0, rest.find(':', 1));
    good = feature == ":sramecc+" || feature == ":sramecc-" || feature == ":xnack+" || feature == ":xnack-";
    rest.remove_prefix(feature.size());
  }
  if (!good)
    value.failExpected("a target ID such as gfx942 or gfx90a:sramecc+:xnack-");
  return id;
}

} // namespace

std::vector<Target> readTargets(const support::JsonCursor &value, const Manifest &manifest,
                                const BufferNames &buffers) {
  Places places(manifest, buffers);
  std::vector<Target> targets;
  std::set<std::string> ids;
  for (const support::JsonCursor &item : value.elements(1)) {
    Target target;
    target.id = readTargetId(item["id"]);
    if (!ids.insert(target.id).second)
      item["id"].failExpected("an id no other target has");
    if (auto name = item.find("name")) {
      target.name = name->string();
      if (target.name.empty())
        name->failExpected("a name");
    }
    target.codeObject = readFileName(item["code_object"]);
    target.codeObjectVersion = item["code_object_version"].integer(4, 6);
    target.sha256 = readSha256(item["sha256"]);
    if (auto memory = item.find("device_memory"))
      target.deviceMemory = memory->integer(1, maxBytes);
    KernelSymbols symbols;
    for (const support::JsonCursor &kernel : item["kernels"].elements(1)) {
      target.kernels.push_back(readKernel(kernel));
      if (!symbols.emplace(target.kernels.back().symbol, symbols.size()).second)
        kernel["symbol"].failExpected("a symbol no other kernel has");
    }
    readBuckets(item["buckets"], symbols, manifest, places, target);
    if (auto arena = item.find("arena"))
      readArena(*arena, manifest, target);
    targets.push_back(std::move(target));
  }
  return targets;
}

} // namespace nstf::manifest
