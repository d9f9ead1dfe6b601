// A graph description with its numbers filled in.
//
// Repeated sections are written out, conditions decided, names resolved and nodes put in an order in which every node
// stands after what it reads: the written order wherever that allows it.
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
  /// The leading extent of a tensor with one row for each token of a step.
  static constexpr int64_t tokens = -1;

  std::string name;
  support::Place place;
  std::string type; // "f32"
  std::vector<int64_t> shape;
  std::optional<support::OperandOrder> order; // nothing: row by row
  /// Weights: the names it may have in the checkpoint, the shape there, and which part of that it is.
  std::vector<std::string> tensors;
  std::vector<int64_t> stored;
  bool regrouped = false; // the tensor's own shape may be groupsInto of `stored`
  checkpoint::StridedView view;
};

/// What an operand is: an entry of one of the lists of ExpandedGraph.
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
  size_t results; // how many the description names
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
  std::string optionalPrefix; // which names of tensors may lack
  int64_t context;            // positions a run can have
  std::map<std::string, ParameterValue> model;
  std::vector<ExpandedTensor> inputs, weights, states;
  std::vector<ExpandedNode> nodes;
  std::vector<std::pair<std::string, Reference>> outputs;
};

/// Throws support::InputError with the line of the fault: an unknown operand, a cycle (with its nodes), a name used
/// twice, a shape that isn't whole numbers of at least 1, a part that isn't one of what is stored or doesn't fit the
/// weight, a context of less than 1, more than a million nodes.
ExpandedGraph expandGraph(const GraphDescription &description, const Parameters &parameters);

} // namespace nstf::description
