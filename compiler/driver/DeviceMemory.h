// The device memory of a package: weights, the arena, the launches' own memory, the control block, inputs, outputs and
// states. Each is a buffer of the manifest, and is allocated separately.
#pragma once

#include "compiler/driver/Compile.h"
#include "passes/nstf/FormedGraph.h"

namespace nstf {

class DeviceMemory {
public:
  /// Adds all buffers to `manifest`, with its weights, ports and control block. Precondition: the launches' own memory
  /// is known for the variants of every target.
  DeviceMemory(const Compilation &compilation, manifest::Manifest &manifest);

  manifest::StepArgument locate(mlir::Value value);
  manifest::StepArgument locateControl() const { return {control, 0}; }
  /// Assigns the pieces of one launch's own memory, one after another.
  class Own {
  public:
    explicit Own(const DeviceMemory &memory) : memory(memory) {}
    manifest::StepArgument locate(const LaunchInfo::Argument &argument);

  private:
    const DeviceMemory &memory;
    uint64_t counters = 0, scratch = 0; ///< bytes of the arguments before
  };

  /// Bytes of a value in the largest step.
  uint64_t getBytes(mlir::Type type) const;
  /// Bytes of the arena; 0 if there is none.
  uint64_t getArenaBytes() const;

private:
  void addWeights();
  void addOwn(const std::vector<CompiledTarget> &targets);
  void addPorts();
  size_t add(std::string name, manifest::BufferKind kind, uint64_t size);
  size_t add(std::string name, manifest::BufferKind kind, mlir::RankedTensorType type);

  manifest::Manifest &manifest;
  mlir::ModuleOp model;
  GraphOp graph;
  int64_t maxTokens;
  mlir::SymbolTableCollection symbols;
  std::optional<size_t> arena, counters, scratch;
  size_t control = 0;
  std::vector<size_t> inputs, outputs;
  llvm::StringMap<size_t> states, weights;
};

} // namespace nstf
