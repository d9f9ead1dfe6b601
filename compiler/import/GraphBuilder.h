// Builds an nstf module from an expanded graph.
//
// The builder knows no operation: it gets names, attributes, operands and result types from the nstf dialect, so YAML
// files can use a new operation of the dialect without further code.
#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/description/GraphExpansion.h"
#include "compiler/import/GenerationConfig.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace nstf::import {

/// The contents of the module's attribute nstf.model, other than the graph's own numbers.
struct ModelFacts {
  std::string architecture; // "llama"; "graph" for a user's graph
  std::string name;
  std::string tokenizer;   // path, or empty
  std::string dtype;       // the weights' type according to config.json: "bfloat16", or empty
  std::string activations; // code type of linears' inputs: "i8" or "e4m3fnuz", or empty
  std::string kvCache;     // code type of caches, likewise
  std::optional<GenerationConfig> generation;
};

class QuantizedWeights;

/// Builds and verifies the module. `checkpoint` may be null: then weights have no source. `expectedFrom` is the file
/// that a weight's expected shape comes from, for messages. `quantized` may be null: then no linear's weight is stored
/// as codes. With `locateInFile`, locations contain the line of the description (for the user's files); they always
/// contain the node's name. Emits a diagnostic and returns null if a tensor is missing, has a wrong shape or is not of
/// floats, an operation or attribute is unknown, or operands don't fit.
mlir::OwningOpRef<mlir::ModuleOp> buildModule(const description::ExpandedGraph &graph, const ModelFacts &facts,
                                              const checkpoint::Checkpoint *checkpoint, const std::string &expectedFrom,
                                              bool locateInFile, mlir::MLIRContext *context,
                                              QuantizedWeights *quantized = nullptr);

/// The ids that end a text, according to the graph alone.
std::vector<int64_t> getEnds(const description::ExpandedGraph &graph);

/// The operations that a node may be, without the dialect's prefix, sorted.
std::vector<std::string> graphOperations(mlir::MLIRContext *context);

} // namespace nstf::import
