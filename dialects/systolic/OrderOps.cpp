// Syntax and verifiers of the ops that order others (OrderOps.td).
#include "dialects/systolic/Systolic.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace nstf::systolic;

/// { … } with { … } : types
ParseResult OverlapOp::parse(OpAsmParser &parser, OperationState &result) {
  do {
    Region *part = result.addRegion();
    if (parser.parseRegion(*part))
      return failure();
    ensureTerminator(*part, parser.getBuilder(), result.location);
  } while (succeeded(parser.parseOptionalKeyword("with")));
  if (parser.parseOptionalAttrDict(result.attributes))
    return failure();
  return parser.parseOptionalColonTypeList(result.types);
}

void OverlapOp::print(OpAsmPrinter &printer) {
  for (auto [i, part] : llvm::enumerate(getParts())) {
    printer << (i ? " with " : " ");
    printer.printRegion(part, /*printEntryBlockArgs=*/false);
  }
  printer.printOptionalAttrDict((*this)->getAttrs());
  if (getNumResults())
    printer << " : " << getResultTypes();
}

LogicalResult OverlapOp::verify() {
  if (getParts().empty()) // overlap_c1
    return emitOpError() << "expected at least one part but got none";
  SmallVector<Type> yielded;
  for (Region &part : getParts())
    llvm::append_range(yielded, part.front().getTerminator()->getOperandTypes());
  if (TypeRange(yielded) != getResultTypes()) // overlap_c2
    return emitOpError() << "expected results of the types that the parts yield, " << TypeRange(yielded) << ", but got "
                         << getResultTypes();
  return success();
}

LogicalResult IfAnyOp::verify() {
  if (!getTileType(getCondition()).getElementType().isInteger(1)) // if_any_c1
    return emitOpError() << "expected a condition of i1 but got " << getCondition().getType();
  TypeRange yielded = getBody().front().getTerminator()->getOperandTypes();
  if (yielded != getResultTypes()) // if_any_c2
    return emitOpError() << "expected a region that yields " << getResultTypes() << " but got " << yielded;
  WalkResult result = getBody().walk([&](Operation *op) -> WalkResult {
    if (isa<CallOpInterface>(op) || (isMemoryEffectFree(op) && !isa<MmaOp>(op))) // if_any_c3
      return WalkResult::advance();
    return emitOpError() << "expected a region that computes only but got " << op->getName();
  });
  return failure(result.wasInterrupted());
}

LogicalResult IfAnyOp::canonicalize(IfAnyOp op, PatternRewriter &rewriter) {
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  SmallVector<Value> otherwise, yielded;
  SmallVector<Type> types;
  SmallVector<unsigned> kept;
  for (auto [index, result] : llvm::enumerate(op.getResults())) {
    if (yield.getValues()[index] == op.getOtherwise()[index])
      rewriter.replaceAllUsesWith(result, op.getOtherwise()[index]);
    if (result.use_empty())
      continue;
    kept.push_back(index);
    types.push_back(result.getType());
    otherwise.push_back(op.getOtherwise()[index]);
    yielded.push_back(yield.getValues()[index]);
  }
  if (kept.size() == op.getNumResults())
    return failure();
  if (kept.empty()) {
    rewriter.eraseOp(op);
    return success();
  }
  rewriter.modifyOpInPlace(yield, [&] { yield.getValuesMutable().assign(yielded); });
  auto smaller = IfAnyOp::create(rewriter, op.getLoc(), types, op.getCondition(), otherwise);
  rewriter.inlineRegionBefore(op.getBody(), smaller.getBody(), smaller.getBody().begin());
  for (auto [index, result] : llvm::zip_equal(kept, smaller.getResults()))
    rewriter.replaceAllUsesWith(op.getResult(index), result);
  rewriter.eraseOp(op);
  return success();
}

LogicalResult WaitOp::verify() {
  if (int64_t count = getCount(); count < 0 || count > 63) // wait_c1
    return emitOpError() << "expected a count of 0 to 63 but got " << count;
  return success();
}

LogicalResult PriorityOp::verify() {
  if (int64_t level = getLevel(); level < 0 || level > 3) // priority_c1
    return emitOpError() << "expected a level of 0 to 3 but got " << level;
  return success();
}
