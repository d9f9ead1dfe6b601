// Builds an nstf module from an expanded graph.

#include "compiler/import/GraphBuilder.h"

#include "compiler/checkpoint/ReadFloats.h"

#include "compiler/description/StoredPart.h"
#include "compiler/import/GatherColumns.h"
#include "compiler/import/NodeBuilder.h"
#include "compiler/import/QuantizedWeights.h"
#include "dialects/nstf/NSTF.h"
#include "support/InputError.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "support/Escape.h"

#include <set>

using namespace mlir;
using namespace nstf;
using namespace nstf::checkpoint;
using namespace nstf::description;
using namespace nstf::import;

namespace {

class GraphBuilder {
public:
  GraphBuilder(const ExpandedGraph &graph, const ModelFacts &facts, const Checkpoint *checkpoint,
               const std::string &expectedFrom, bool locateInFile, MLIRContext *context, QuantizedWeights *quantized)
      : graph(graph), facts(facts), checkpoint(checkpoint), expectedFrom(expectedFrom), locateInFile(locateInFile),
        context(context), builder(context) {
    if (quantized)
      findCodes(*quantized);
  }

  OwningOpRef<ModuleOp> build() {
    checkWeights();
    OwningOpRef<ModuleOp> module = ModuleOp::create(locate("", support::Place{nullptr, 1, 1}));
    (*module)->setAttr(NSTFDialect::modelAttributeName, modelAttribute());
    builder.setInsertionPointToEnd(module->getBody());
    for (auto [i, weight] : llvm::enumerate(graph.weights))
      if (auto inCodes = codes.find(i); inCodes != codes.end())
        createPlanes(weight, inCodes->second);
      else
        createWeight(weight);
    for (const ExpandedTensor &state : graph.states)
      StateOp::create(builder, locate(state.name, state.place), state.name, typeOf(state));
    if (!buildGraph() || failed(verify(*module)))
      return nullptr;
    return module;
  }

private:
  Location locate(const std::string &name, const support::Place &place) {
    Location file = UnknownLoc::get(context);
    if (locateInFile)
      file = FileLineColLoc::get(context, graph.file, place.line, place.column);
    return name.empty() ? file : Location(NameLoc::get(builder.getStringAttr(name), file));
  }

  RankedTensorType typeOf(const ExpandedTensor &tensor) {
    Type element = parseType(getInfo(*support::elementTypeFromName(tensor.type)).mlir, context);
    SmallVector<int64_t> shape(tensor.shape.begin(), tensor.shape.end());
    for (int64_t &extent : shape)
      if (extent == ExpandedTensor::tokens)
        extent = ShapedType::kDynamic;
    OperandOrderAttr order;
    if (tensor.order)
      order = OperandOrderAttr::get(context, *tensor.order);
    return RankedTensorType::get(shape, element, order);
  }

  // Weights

  /// Finds the linears' matrices that are stored as codes.
  void findCodes(QuantizedWeights &quantized) {
    std::set<size_t> others;
    for (const ExpandedNode &node : graph.nodes)
      for (auto [i, operand] : llvm::enumerate(node.operands))
        if (operand.kind == Reference::weight && !(node.op == "linear" && i == 1))
          others.insert(operand.index);
    for (const ExpandedNode &node : graph.nodes)
      if (node.op == "linear" && node.operands.size() > 1 && node.operands[1].kind == Reference::weight)
        if (size_t index = node.operands[1].index; !others.contains(index) && !codes.contains(index))
          if (auto found = quantized.find(graph.weights[index], graph.optionalPrefix))
            codes.emplace(index, *found);
  }

  /// The codes of a linear's matrix, or end() if it is stored as numbers.
  std::map<size_t, QuantizedWeight>::const_iterator getCodes(const ExpandedNode &node) const {
    bool hasMatrix = node.op == "linear" && node.operands.size() > 1 && node.operands[1].kind == Reference::weight;
    return hasMatrix ? codes.find(node.operands[1].index) : codes.end();
  }

  static std::vector<Plane> planesOf(const QuantizedWeight &weight) {
    std::vector<Plane> planes = {Plane::codes};
    if (weight.format.getHighBits())
      planes.push_back(Plane::high);
    planes.push_back(Plane::scales);
    if (weight.zeros)
      planes.push_back(Plane::zeros);
    if (!weight.order.empty())
      planes.push_back(Plane::order);
    return planes;
  }

  static std::string getPlaneName(const ExpandedTensor &weight, Plane plane) {
    return weight.name + "." + stringifyPlane(plane).str();
  }

  /// Without a checkpoint a weight has no source. The attribute then tells a writer of checkpoints that the weight is
  /// only part of a tensor.
  void createWeight(const ExpandedTensor &weight) {
    auto made =
        WeightOp::create(builder, locate(weight.name, weight.place), weight.name, typeOf(weight), sourceOf(weight));
    if (!checkpoint && !weight.tensors.empty() && weight.stored != weight.shape)
      made->setAttr(NSTFDialect::partOfAttributeName, builder.getStringAttr(weight.tensors.front()));
  }

  void createPlanes(const ExpandedTensor &weight, const QuantizedWeight &quantized) {
    int64_t rows = weight.shape[0];
    for (Plane plane : planesOf(quantized)) {
      auto made = WeightOp::create(builder, locate(weight.name, weight.place), getPlaneName(weight, plane),
                                   quantized.format.getPlaneType(plane, rows));
      made.setPlaneAttr(PlaneSourceAttr::get(context, plane, weight.name, rows, quantized.format, quantized.zeros,
                                             /*source=*/nullptr, quantized.stored));
    }
  }

  mlir::Value getPlane(const ExpandedTensor &weight, const QuantizedWeight &quantized, Plane plane) {
    return GetOp::create(builder, locate(weight.name, weight.place),
                         quantized.format.getPlaneType(plane, weight.shape[0]), getPlaneName(weight, plane));
  }

  /// Permutes a linear's input to the order of its matrix's columns. Matrices with the same input and order share the
  /// result.
  mlir::Value orderInputs(mlir::Value x, const ExpandedTensor &weight, const QuantizedWeight &quantized) {
    mlir::Value &ordered = inOrder[{x.getAsOpaquePointer(), quantized.order}];
    if (!ordered)
      ordered = gatherColumns(builder, locate(getPlaneName(weight, Plane::order), weight.place), x,
                              getPlane(weight, quantized, Plane::order));
    return ordered;
  }

  mlir::Value createDequantize(const ExpandedTensor &weight, const QuantizedWeight &quantized) {
    std::map<Plane, mlir::Value> values;
    Location location = locate(weight.name, weight.place);
    for (Plane plane : planesOf(quantized))
      if (plane != Plane::order)
        values[plane] = getPlane(weight, quantized, plane);
    return DequantizeOp::create(builder, location, typeOf(weight), values[Plane::codes], values[Plane::high],
                                values[Plane::scales], values[Plane::zeros], quantized.format);
  }

  /// Checks that every weight has a tensor of the described shape. Missing tensors are reported as one error, which
  /// names the first and counts the others.
  void checkWeights() {
    if (!checkpoint)
      return;
    const ExpandedTensor *firstMissing = nullptr;
    size_t missing = 0;
    for (auto [i, weight] : llvm::enumerate(graph.weights)) {
      if (codes.contains(i))
        continue;
      Checkpoint::Entry entry = find(weight);
      if (!entry) {
        firstMissing = firstMissing ? firstMissing : &weight;
        ++missing;
        continue;
      }
      std::string where = "'" + entry.file->path() + "': tensor '" + support::escape(entry.tensor->name) + "'";
      if (entry.tensor->shape != weight.stored && !(weight.regrouped && groupsInto(weight.stored, entry.tensor->shape)))
        throw support::InputError(where + ": expected shape " + support::describeShape(weight.stored) + " (" +
                                  expectedFrom + ") but got " + support::describeShape(entry.tensor->shape));
      if (!isReadable(entry.tensor->type))
        throw support::InputError(where + ": expected a type of f32, f16, bf16 or f64 but got " +
                                  std::string(nameOf(entry.tensor->type)));
    }
    if (missing)
      throw support::InputError("'" + checkpoint->path() + "': tensor '" + support::escape(firstMissing->tensors[0]) +
                                "' is missing" + (missing > 1 ? ", and " + std::to_string(missing - 1) + " more" : "") +
                                " (" + expectedFrom + " wants " + std::to_string(graph.weights.size()) + " tensors)");
  }

  Checkpoint::Entry find(const ExpandedTensor &weight) {
    for (const std::string &name : weight.tensors)
      if (Checkpoint::Entry entry = checkpoint->find(name, graph.optionalPrefix))
        return entry;
    return {};
  }

  SourceAttr sourceOf(const ExpandedTensor &weight) {
    if (!checkpoint)
      return {};
    Checkpoint::Entry entry = find(weight);
    Type stored = entry.tensor->type == support::ElementType::F64    ? Type(builder.getF64Type())
                  : entry.tensor->type == support::ElementType::F16  ? Type(builder.getF16Type())
                  : entry.tensor->type == support::ElementType::BF16 ? Type(builder.getBF16Type())
                                                                     : Type(builder.getF32Type());
    StridedView view = weight.view.simplify();
    int64_t offset = static_cast<int64_t>(entry.tensor->offset + view.offset * sizeOf(entry.tensor->type));
    return SourceAttr::get(context, entry.file->path(), offset, stored, view.sizes, view.strides);
  }

  // Graph

  int64_t modelInteger(const char *key, int64_t absent) {
    auto found = graph.model.find(key);
    const int64_t *value = found == graph.model.end() ? nullptr : std::get_if<int64_t>(&found->second);
    return value ? *value : absent;
  }

  DictionaryAttr modelAttribute() {
    std::vector<int64_t> eos = getEnds(graph);
    for (int64_t id : facts.generation ? facts.generation->eos : std::vector<int64_t>())
      if (!llvm::is_contained(eos, id))
        eos.push_back(id);
    SmallVector<NamedAttribute> entries = {
        builder.getNamedAttr("architecture", builder.getStringAttr(facts.architecture)),
        builder.getNamedAttr("name", builder.getStringAttr(facts.name)),
        builder.getNamedAttr("context", builder.getI64IntegerAttr(graph.context)),
        builder.getNamedAttr("vocabulary", builder.getI64IntegerAttr(modelInteger("vocabulary", 0))),
        builder.getNamedAttr("bos", builder.getI64IntegerAttr(modelInteger("bos", -1))),
        builder.getNamedAttr("eos", builder.getDenseI64ArrayAttr(eos)),
        builder.getNamedAttr("tokenizer", builder.getStringAttr(facts.tokenizer)),
    };
    if (!facts.activations.empty())
      entries.push_back(builder.getNamedAttr("activations", builder.getStringAttr(facts.activations)));
    if (!facts.kvCache.empty())
      entries.push_back(builder.getNamedAttr("kv_cache", builder.getStringAttr(facts.kvCache)));
    if (!facts.dtype.empty())
      entries.push_back(builder.getNamedAttr("dtype", builder.getStringAttr(facts.dtype)));
    if (facts.generation)
      entries.push_back(builder.getNamedAttr("sampling", samplingAttribute()));
    return builder.getDictionaryAttr(entries);
  }

  Attribute attributeOf(bool value) { return builder.getBoolAttr(value); }
  Attribute attributeOf(double value) { return builder.getF64FloatAttr(value); }
  Attribute attributeOf(int64_t value) { return builder.getI64IntegerAttr(value); }

  DictionaryAttr samplingAttribute() {
    SmallVector<NamedAttribute> entries;
    manifest::Sampling::forEach(facts.generation->sampling, [&](const char *key, const auto &field) {
      if (field)
        entries.push_back(builder.getNamedAttr(key, attributeOf(*field)));
    });
    return builder.getDictionaryAttr(entries);
  }

  mlir::Value getValue(Reference reference) {
    switch (reference.kind) {
    case Reference::input:
      return body->getArgument(reference.index);
    case Reference::node:
      return nodes[reference.index]->getResult(reference.result);
    default: {
      bool isWeight = reference.kind == Reference::weight;
      const ExpandedTensor &tensor = (isWeight ? graph.weights : graph.states)[reference.index];
      mlir::Value &value = gotten[{isWeight, reference.index}];
      if (auto inCodes = codes.find(reference.index); !value && isWeight && inCodes != codes.end())
        value = createDequantize(tensor, inCodes->second);
      if (!value)
        value = GetOp::create(builder, locate(tensor.name, tensor.place), typeOf(tensor), tensor.name);
      return value;
    }
    }
  }

  bool buildGraph() {
    SmallVector<Type> inputTypes;
    for (const ExpandedTensor &input : graph.inputs)
      inputTypes.push_back(typeOf(input));
    auto op = GraphOp::create(builder, locate(graph.name, support::Place{nullptr, 1, 1}), graph.name,
                              builder.getFunctionType(inputTypes, {}), graph.context);
    body = &op.getBody().front();
    for (auto [i, input] : llvm::enumerate(graph.inputs))
      body->getArgument(i).setLoc(locate(input.name, input.place));
    builder.setInsertionPointToEnd(body);
    for (const ExpandedNode &node : graph.nodes) {
      SmallVector<mlir::Value> operands;
      for (Reference operand : node.operands)
        operands.push_back(getValue(operand));
      if (auto matrix = getCodes(node); matrix != codes.end() && !matrix->second.order.empty())
        operands[0] = orderInputs(operands[0], graph.weights[matrix->first], matrix->second);
      Operation *made;
      try {
        made = buildNode(node, operands, locate(node.name, node.place), builder);
      } catch (const support::InputError &error) {
        node.place.error(error.message);
      }
      if (!made)
        return false;
      nodes.push_back(made);
    }

    SmallVector<mlir::Value> results;
    for (const auto &[name, reference] : graph.outputs)
      results.push_back(getValue(reference));
    ReturnOp::create(builder, op.getLoc(), results);
    op.setFunctionType(builder.getFunctionType(inputTypes, ValueRange(results).getTypes()));
    for (auto [i, input] : llvm::enumerate(graph.inputs))
      op.setInputName(i, input.name);
    for (auto [i, output] : llvm::enumerate(graph.outputs))
      op.setOutputName(i, output.first);
    return true;
  }

  const ExpandedGraph &graph;
  const ModelFacts &facts;
  const Checkpoint *checkpoint;
  const std::string &expectedFrom;
  bool locateInFile;
  MLIRContext *context;
  OpBuilder builder;
  std::map<size_t, QuantizedWeight> codes;                                      ///< by weight
  std::map<std::pair<const void *, std::vector<int32_t>>, mlir::Value> inOrder; ///< by value and order
  Block *body = nullptr;
  std::vector<Operation *> nodes;
  std::map<std::pair<bool, size_t>, mlir::Value> gotten;
};

} // namespace

std::vector<int64_t> nstf::import::getEnds(const ExpandedGraph &graph) {
  auto eos = graph.model.find("eos");
  if (eos == graph.model.end())
    return {};
  if (const int64_t *one = std::get_if<int64_t>(&eos->second))
    return {*one};
  const auto *list = std::get_if<std::vector<int64_t>>(&eos->second);
  return list ? *list : std::vector<int64_t>();
}

OwningOpRef<ModuleOp> nstf::import::buildModule(const ExpandedGraph &graph, const ModelFacts &facts,
                                                const Checkpoint *checkpoint, const std::string &expectedFrom,
                                                bool locateInFile, MLIRContext *context, QuantizedWeights *quantized) {
  return GraphBuilder(graph, facts, checkpoint, expectedFrom, locateInFile, context, quantized).build();
}
