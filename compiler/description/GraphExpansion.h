// A graph description with all expressions evaluated.
//
// Repeated sections are written out, conditions are decided, names are resolved, and the nodes are sorted such that
// every node comes after its operands, in the written order as far as possible.
#pragma once

#include "compiler/checkpoint/StridedView.h"
#include "compiler/description/Parameters.h"
#include "support/OperandOrder.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace nstf::description {

struct ExpandedTensor {
  /// The leading extent of a tensor that has one row for each token of a step.
  static constexpr int64_t tokens = -1;

  std::string name;
  support::Place place;
  std::string type; // "f32"
  std::vector<int64_t> shape;
  std::optional<support::OperandOrder> order; // nothing: row-major
  /// Weights: the possible names in the checkpoint, the shape there, and the weight's part of it.
  std::vector<std::string> tensors;
  std::vector<int64_t> stored;
  bool regrouped = false; // the tensor's own shape may be one that groupsInto accepts
  checkpoint::StridedView view;
};

/// The value of an operand: an entry in one of the lists of ExpandedGraph.
struct Reference {
  enum Kind { input, weight, state, node } kind;
  size_t index;
  size_t result = 0; // of a node
};

struct ExpandedNode {
  std::string name; // with its section's prefix
  support::Place place;
  std::string op;
  std::vector<Reference> operands;
  size_t results; // the number of names in the description
  struct Attribute {
    std::string name;
    support::Place place;
    ParameterValue value; // lists of expressions are vectors of whole numbers or of floats
  };
  std::vector<Attribute> attributes;
};

struct ExpandedGraph {
  std::string file;
  std::string name;
  std::string optionalPrefix; // which the names of tensors may lack
  int64_t context;            // maximum number of positions
  std::map<std::string, ParameterValue> model;
  std::vector<ExpandedTensor> inputs, weights, states;
  std::vector<ExpandedNode> nodes;
  std::vector<std::pair<std::string, Reference>> outputs;
};

/// Throws support::InputError with the line of the error: an unknown operand, a cycle (with its nodes), a name used
/// twice, a shape with an extent that isn't a whole number of at least 1, a part that doesn't lie within the stored
/// tensor or doesn't fit the weight, a context of less than 1, more than a million nodes.
ExpandedGraph expandGraph(const GraphDescription &description, const Parameters &parameters);

} // namespace nstf::description
