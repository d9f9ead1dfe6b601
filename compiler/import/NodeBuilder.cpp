// Builds an operation of the nstf dialect from a node.

#include "compiler/import/NodeBuilder.h"

#include "compiler/import/GraphBuilder.h"
#include "dialects/nstf/NSTF.h"
#include "support/ElementType.h"
#include "support/InputError.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "support/DidYouMean.h"
#include "support/Escape.h"

#include <algorithm>

using namespace mlir;
using namespace nstf;
using namespace nstf::description;
using namespace nstf::import;

/// Whether a node can be this operation: only those that compute values infer types; structural ones (graph, get, step,
/// …) do not.
static bool isGraphOperation(RegisteredOperationName name) { return name.hasInterface<InferTypeOpInterface>(); }

std::vector<std::string> nstf::import::graphOperations(MLIRContext *context) {
  std::vector<std::string> names;
  // LLVM 22's getRegisteredOperationsByDialect finds nothing once several dialects are loaded.
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (name.getDialectNamespace() == NSTFDialect::getDialectNamespace() && isGraphOperation(name))
      names.push_back(name.stripDialect().str());
  std::sort(names.begin(), names.end());
  return names;
}

/// The possible attributes for a value, the likeliest first; the operation's constraints determine which one is used. A
/// null attribute means that the attribute is omitted: an absent key, or a flag that is false.
static SmallVector<Attribute> candidates(const ParameterValue &value, Builder &builder) {
  if (const bool *flag = std::get_if<bool>(&value))
    return {*flag ? Attribute(builder.getUnitAttr()) : Attribute(), builder.getBoolAttr(*flag)};
  if (const int64_t *integer = std::get_if<int64_t>(&value))
    return {builder.getI64IntegerAttr(*integer), builder.getF64FloatAttr(static_cast<double>(*integer))};
  if (const double *number = std::get_if<double>(&value))
    return {builder.getF64FloatAttr(*number)};
  if (const std::string *text = std::get_if<std::string>(&value)) {
    SmallVector<Attribute> forms = {builder.getStringAttr(*text)};
    for (Type type : {Type(builder.getF32Type()), Type(builder.getF16Type()), Type(builder.getBF16Type()),
                      Type(builder.getI8Type()), Type(builder.getType<Float8E4M3FNUZType>())}) {
      std::string name;
      llvm::raw_string_ostream(name) << type;
      if (nameOf(*support::elementTypeFromMlir(name)) == *text)
        forms.push_back(TypeAttr::get(type));
    }
    return forms;
  }
  if (const auto *list = std::get_if<std::vector<int64_t>>(&value))
    return {builder.getDenseI64ArrayAttr(*list),
            builder.getDenseF64ArrayAttr(std::vector<double>(list->begin(), list->end()))};
  if (const auto *list = std::get_if<std::vector<double>>(&value))
    return {builder.getDenseF64ArrayAttr(*list)};
  return {Attribute()};
}

static void addAttribute(const ExpandedNode::Attribute &attribute, RegisteredOperationName name, OperationState &state,
                         Builder &builder, const std::string &where) {
  if (!llvm::is_contained(name.getAttributeNames(), attribute.name)) {
    std::vector<std::string> known;
    for (StringAttr knownName : name.getAttributeNames())
      known.push_back(knownName.str());
    throw support::InputError(where + ": '" + support::escape(name.stripDialect().str()) + "' has no attribute '" +
                              support::escape(attribute.name) + "' (" +
                              (known.empty() ? "it has none" : "known: " + support::listNames(known)) + ")" +
                              support::didYouMean(attribute.name, known));
  }
  std::string reason;
  for (Attribute candidate : candidates(attribute.value, builder)) {
    if (!candidate)
      return;
    NamedAttrList alone;
    alone.set(attribute.name, candidate);
    ScopedDiagnosticHandler quiet(builder.getContext(), [&](Diagnostic &diagnostic) { reason = diagnostic.str(); });
    auto emitHere = [&] { return emitError(state.location); };
    if (succeeded(name.verifyInherentAttrs(alone, emitHere))) {
      state.addAttribute(attribute.name, candidate);
      return;
    }
  }
  throw support::InputError(where + ": attribute '" + support::escape(attribute.name) + "' can't be " +
                            describe(attribute.value) + (reason.empty() ? "" : ": " + reason));
}

/// The first diagnostic of `check`, without its notes (which show MLIR that the user didn't write); empty on success.
static std::string getError(MLIRContext *context, llvm::function_ref<LogicalResult()> check) {
  std::string message;
  ScopedDiagnosticHandler quiet(context, [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
  });
  return failed(check()) ? (message.empty() ? "doesn't verify" : message) : "";
}

/// Type inference requires valid operands. So the operation is first created with a placeholder result type; the
/// verifier's errors about operands and attributes are final, those about the result are ignored.
static std::string errorOfOperands(Operation *op) {
  std::string message = getError(op->getContext(), [&] { return op->getName().verifyInvariants(op); });
  bool isFinal = message.find("operand") != std::string::npos || message.find("attribute") != std::string::npos;
  return isFinal ? message : "";
}

Operation *nstf::import::buildNode(const ExpandedNode &node, ValueRange operands, Location location,
                                   OpBuilder &builder) {
  MLIRContext *context = builder.getContext();
  std::string where = "node '" + support::escape(node.name) + "'";
  auto name = RegisteredOperationName::lookup("nstf." + node.op, context);
  if (!name || !isGraphOperation(*name))
    throw support::InputError(where + ": unknown op '" + support::escape(node.op) + "'" +
                              support::didYouMean(node.op, graphOperations(context)) +
                              " (known: " + support::listNames(graphOperations(context)) + ")");

  OperationState state(location, *name);
  state.addOperands(operands);
  for (const ExpandedNode::Attribute &attribute : node.attributes)
    addAttribute(attribute, *name, state, builder, where);
  Type shown = operands.empty() ? RankedTensorType::get({1, 1}, builder.getF32Type()) : operands[0].getType();
  state.addTypes(SmallVector<Type>(node.results, shown));

  Operation *op = builder.create(state);
  auto refuse = [&](const std::string &message) -> Operation * {
    emitError(location) << message;
    op->erase();
    return nullptr;
  };
  if (std::string message = errorOfOperands(op); !message.empty())
    return refuse(message);
  SmallVector<Type> types;
  auto infer = [&] {
    return cast<InferTypeOpInterface>(op).inferReturnTypes(context, location, op->getOperands(),
                                                           op->getAttrDictionary(), op->getPropertiesStorage(),
                                                           op->getRegions(), types);
  };
  if (std::string message = getError(context, infer); !message.empty())
    return refuse("'nstf." + node.op + "' op gives no type for these operands");
  if (types.size() != node.results)
    return refuse("expected names of " + std::to_string(types.size()) + " results but got " +
                  std::to_string(node.results));
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
    result.setType(type);
  if (std::string message = getError(context, [&] { return mlir::verify(op); }); !message.empty())
    return refuse(message);
  return op;
}
