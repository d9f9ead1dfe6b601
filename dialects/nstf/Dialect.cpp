// Registration of the dialect, and the verifiers of its discardable attributes.
#include "dialects/nstf/NSTF.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace nstf;

#include "dialects/nstf/Dialect.cpp.inc"
#include "dialects/nstf/Interfaces.cpp.inc"

void NSTFDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/nstf/Ops.cpp.inc"
      >();
}

LogicalResult NSTFDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == modelAttributeName) {
    if (!isa<ModuleOp>(op))
      return op->emitOpError() << "expected '" << name << "' on a module only";
    if (!isa<DictionaryAttr>(attribute.getValue()))
      return op->emitOpError() << "expected '" << name << "' to be a dictionary but got " << attribute.getValue();
    return success();
  }
  if (name == maxTokensAttributeName || name == arenaSizeAttributeName) {
    bool onItsOp = name == maxTokensAttributeName ? isa<ModuleOp>(op) : isa<GraphOp>(op);
    if (!onItsOp)
      return op->emitOpError() << "expected '" << name << "' on a "
                               << (name == maxTokensAttributeName ? "module" : "graph") << " only";
    auto number = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!number || !number.getType().isSignlessInteger(64) ||
        number.getInt() < (name == maxTokensAttributeName ? 1 : 0))
      return op->emitOpError() << "expected '" << name << "' to be a count of type i64 but got "
                               << attribute.getValue();
    return success();
  }
  return success(); // Other attributes belong to their writers: nstf.target, notes of passes.
}

static LogicalResult verifyName(Operation *op, NamedAttribute attribute, StringRef where, unsigned index) {
  if (attribute.getName() != NSTFDialect::nameAttributeName)
    return success();
  auto name = dyn_cast<StringAttr>(attribute.getValue());
  if (!name || name.empty())
    return op->emitOpError() << "expected a name as '" << NSTFDialect::nameAttributeName << "' of " << where << " "
                             << index << " but got " << attribute.getValue();
  return success();
}

LogicalResult NSTFDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index, NamedAttribute attribute) {
  return verifyName(op, attribute, "argument", index);
}

LogicalResult NSTFDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned index,
                                                       NamedAttribute attribute) {
  return verifyName(op, attribute, "result", index);
}
