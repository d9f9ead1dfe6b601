// An expanded graph as an nstf module.
//
// Knows no operation: names, attributes, operands and result types are asked of the nstf dialect, so an operation the
// dialect gains can be used in YAML at once.
#pragma once

#include "compiler/checkpoint/Checkpoint.h"
#include "compiler/description/GraphExpansion.h"
#include "compiler/import/GenerationConfig.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace nstf::import {

/// What goes into the module's attribute nstf.model beside the graph's own numbers.
struct ModelFacts {
  std::string architecture; // "llama"; "graph" for a user's own
  std::string name;
  std::string tokenizer;   // path, or empty
  std::string dtype;       // what config.json says the weights are: "bfloat16", or empty
  std::string activations; // type of the codes that linears read: "i8" or "e4m3fnuz", or empty
  std::string kvCache;     // that caches hold, likewise
  std::optional<GenerationConfig> generation;
};

class QuantizedWeights;

/// Builds and verifies the module. `checkpoint` may be null: weights then have no source; `expectedFrom` is the file a
/// weight's expected shape comes from, for messages. `quantized` may be null: no linear's weight is in codes.
/// `locateInFile` puts the line of the description into locations (for files the user wrote); the name of the node is
/// in them always. Emits a diagnostic and returns null when a tensor is missing, of wrong shape or no float, an
/// operation or attribute is unknown, or operands don't fit.
mlir::OwningOpRef<mlir::ModuleOp> buildModule(const description::ExpandedGraph &graph, const ModelFacts &facts,
                                              const checkpoint::Checkpoint *checkpoint, const std::string &expectedFrom,
                                              bool locateInFile, mlir::MLIRContext *context,
                                              QuantizedWeights *quantized = nullptr);

/// Ids that end a text, by the graph alone.
std::vector<int64_t> getEnds(const description::ExpandedGraph &graph);

/// Names of the operations a node may be, without the dialect's prefix, sorted.
std::vector<std::string> graphOperations(mlir::MLIRContext *context);

} // namespace nstf::import
