// The buffers of a package, and the places of its graph's values in them (DeviceMemory.h).
#include "compiler/driver/DeviceMemory.h"
#include "compiler/driver/KernelFacts.h"
#include "compiler/package/Package.h"
#include "passes/nstf/WeightFormat.h"
#include "support/ControlBlock.h"

using namespace mlir;
using namespace nstf;
using manifest::BufferKind;
using support::ControlBlock;

/// Alignment of the pieces of a launch's own memory, in bytes.
static constexpr uint64_t ownAlignment = 256;

static uint64_t getOwnBytes(const LaunchInfo::Argument &argument) {
  return llvm::alignTo(argument.memory.getNumElements() * argument.memory.getElementTypeBitWidth() / 8, ownAlignment);
}

DeviceMemory::DeviceMemory(const Compilation &compilation, manifest::Manifest &manifest)
    : manifest(manifest), model(compilation.getModel()), graph(compilation.getGraph()),
      maxTokens(model->getAttrOfType<IntegerAttr>(NSTFDialect::maxTokensAttributeName).getInt()) {
  addWeights();
  if (int64_t size = graph.getArenaSize().value_or(0))
    arena = add("arena", BufferKind::Arena, size);
  addOwn(compilation.getTargets());
  manifest.control = {manifest.buffers.size(),        sizeof(ControlBlock),
                      offsetof(ControlBlock, tokens), offsetof(ControlBlock, position),
                      offsetof(ControlBlock, first),  offsetof(ControlBlock, slot),
                      graph.getMaxRequests()};
  control = add("control", BufferKind::Control, manifest.control.bytes());
  addPorts();
  for (StateOp state : model.getOps<StateOp>()) {
    size_t number = add(state.getSymName().str(), BufferKind::State, cast<RankedTensorType>(state.getType()));
    manifest.buffers[number].slots = graph.getMaxRequests();
    manifest.buffers[number].size *= graph.getMaxRequests();
    states[state.getSymName()] = number;
  }
}

void DeviceMemory::addWeights() {
  for (WeightOp weight : model.getOps<WeightOp>()) {
    auto type = cast<RankedTensorType>(weight.getType());
    weights[weight.getSymName()] = manifest.weights.tensors.size();
    manifest.weights.tensors.push_back({weight.getSymName().str(), getElementType(type), getShape(type), 0, 0, {}});
    if (auto plane = weight.getPlane())
      manifest.weights.tensors.back().plane = {getFormatName(plane->getFormat(), plane->getZeros()),
                                               stringifyPlane(plane->getPlane()).str()};
  }
  if (uint64_t bytes = layoutWeights(manifest.weights))
    manifest.weights.buffer = add("weights", BufferKind::Weights, bytes);
}

/// Adds the buffers for launches' own memory. Launches run one after another, so a buffer is as large as the largest
/// launch needs.
void DeviceMemory::addOwn(const std::vector<CompiledTarget> &targets) {
  auto addLargest = [&](std::string name, BufferKind kind, LaunchInfo::Argument::Kind own) -> std::optional<size_t> {
    uint64_t most = 0;
    for (const CompiledTarget &target : targets)
      for (const KernelVariant &variant : target.plan.variants) {
        uint64_t bytes = 0;
        for (const LaunchInfo::Argument &argument : variant.launch.arguments)
          bytes += argument.kind == own ? getOwnBytes(argument) : 0;
        most = std::max(most, bytes);
      }
    return most ? std::optional(add(std::move(name), kind, most)) : std::nullopt;
  };
  counters = addLargest("counters", BufferKind::Counters, LaunchInfo::Argument::Zeros);
  scratch = addLargest("scratch", BufferKind::Scratch, LaunchInfo::Argument::Scratch);
}

void DeviceMemory::addPorts() {
  for (unsigned i = 0; i < graph.getNumArguments(); ++i) {
    auto type = cast<RankedTensorType>(graph.getArgumentTypes()[i]);
    std::string name = graph.getArgAttrOfType<StringAttr>(i, NSTFDialect::nameAttributeName).str();
    inputs.push_back(add(name, BufferKind::Input, type));
    manifest.inputs.push_back({name, getElementType(type), getShape(type), inputs.back()});
  }
  for (unsigned i = 0; i < graph.getNumResults(); ++i) {
    auto type = cast<RankedTensorType>(graph.getResultTypes()[i]);
    std::string name = graph.getResultAttrOfType<StringAttr>(i, NSTFDialect::nameAttributeName).str();
    outputs.push_back(add(name, BufferKind::Output, type));
    manifest.outputs.push_back({name, getElementType(type), getShape(type), outputs.back()});
  }
}

size_t DeviceMemory::add(std::string name, BufferKind kind, uint64_t size) {
  manifest.buffers.push_back({std::move(name), kind, size, {}, {}});
  return manifest.buffers.size() - 1;
}

size_t DeviceMemory::add(std::string name, BufferKind kind, RankedTensorType type) {
  size_t number = add(std::move(name), kind, getBytes(type));
  manifest.buffers[number].type = getElementType(type);
  manifest.buffers[number].shape = getShape(type);
  return number;
}

uint64_t DeviceMemory::getBytes(Type type) const {
  auto tensor = cast<RankedTensorType>(type);
  return getShape(tensor).bytes(getElementType(tensor), maxTokens);
}

uint64_t DeviceMemory::getArenaBytes() const { return arena ? manifest.buffers[*arena].size : 0; }

manifest::StepArgument DeviceMemory::locate(Value value) {
  Storage storage = getStorage(value, symbols);
  switch (storage.kind) {
  case Storage::Input:
    return {inputs[storage.index], 0};
  case Storage::Output:
    return {outputs[storage.index], 0};
  case Storage::Symbol:
    if (auto weight = weights.find(storage.symbol.getValue()); weight != weights.end())
      return {*manifest.weights.buffer, manifest.weights.tensors[weight->second].offset};
    return {states.at(storage.symbol.getValue()), 0};
  case Storage::Arena:
    auto result = cast<OpResult>(value);
    return {*arena, uint64_t((*cast<StepOp>(result.getOwner()).getOffsets())[result.getResultNumber()])};
  }
  llvm_unreachable("all kinds are listed");
}

manifest::StepArgument DeviceMemory::Own::locate(const LaunchInfo::Argument &argument) {
  const bool isZero = argument.kind == LaunchInfo::Argument::Zeros;
  uint64_t &next = isZero ? counters : scratch;
  manifest::StepArgument place{isZero ? *memory.counters : *memory.scratch, next};
  next += getOwnBytes(argument);
  return place;
}
