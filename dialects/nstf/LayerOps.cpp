// Result types and verifiers of the row-wise layers. Constraint numbers are those of LayerOps.td.
#include "dialects/nstf/NSTF.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace nstf;

static RankedTensorType rows(Value activation) { return cast<RankedTensorType>(activation.getType()); }

// EmbeddingOp

LogicalResult EmbeddingOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, EmbeddingOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType ids = rows(adaptor.getIds()), table = rows(adaptor.getTable());
  types.push_back(RankedTensorType::get({ids.getDimSize(0), table.getDimSize(1)}, Float32Type::get(context)));
  return success();
}

bool EmbeddingOp::readsAnyFloat(unsigned operand) { return operand == 1; }

// AddPositionsOp

LogicalResult AddPositionsOp::inferReturnTypes(MLIRContext *, std::optional<Location>, AddPositionsOp::Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getX().getType());
  return success();
}

LogicalResult AddPositionsOp::verify() {
  int64_t features = getX().getType().getDimSize(1), offset = getOffset();
  RankedTensorType table = getTable().getType();
  // add_positions_c1
  if (table.getDimSize(1) != features)
    return emitOpError() << "expected a table of " << features << " columns but got " << table.getDimSize(1);
  // add_positions_c2
  if (offset < 0)
    return emitOpError() << "expected an offset of at least 0 but got " << offset;
  // add_positions_c3
  if (auto graph = dyn_cast_or_null<GraphOp>((*this)->getParentOp())) {
    int64_t rows = table.getDimSize(0), context = graph.getContext();
    if (rows < offset || rows - offset < context)
      return emitOpError() << "expected a table with a row for each of " << context << " positions from row " << offset
                           << " on but got " << rows << " rows";
  }
  return success();
}

bool AddPositionsOp::isByElement(unsigned operand) { return operand == 0; }

int64_t AddPositionsOp::getTableOffset() { return getOffset(); }

bool AddPositionsOp::readsAnyFloat(unsigned operand) { return operand == 1; }

Value AddPositionsOp::computeOnTile(OpBuilder &builder, Location loc, ValueRange operands) {
  return arith::AddFOp::create(builder, loc, operands[0], operands[1]);
}

// LinearOp

LogicalResult LinearOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, LinearOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType x = rows(adaptor.getX()), w = rows(adaptor.getW());
  Type sum = x.getElementType().isInteger() ? Type(IntegerType::get(context, 32)) : Float32Type::get(context);
  types.push_back(RankedTensorType::get({x.getDimSize(0), w.getDimSize(0)}, sum));
  return success();
}

LogicalResult LinearOp::verify() {
  RankedTensorType x = getX().getType(), w = getW().getType();
  // linear_c1
  if (x.getDimSize(1) != w.getDimSize(1))
    return emitOpError() << "expected K of x and w to be equal but got " << x.getDimSize(1) << " and "
                         << w.getDimSize(1);
  // linear_c3
  if (x.getElementType() != w.getElementType())
    return emitOpError() << "expected x and w of one element type but got " << x.getElementType() << " and "
                         << w.getElementType();
  if (Value bias = getBias()) {
    auto expected = RankedTensorType::get({w.getDimSize(0)}, Float32Type::get(getContext()));
    // linear_c2
    if (bias.getType() != expected)
      return emitOpError() << "expected a bias of type " << expected << " but got " << bias.getType();
    // linear_c5
    if (x.getElementType().isInteger())
      return emitOpError() << "expected no bias with operands of " << x.getElementType();
  }
  return success();
}

Value LinearOp::getEpilogueBias() { return getBias(); }

bool LinearOp::isProductOperand(unsigned operand) { return operand < 2; }

// ArgmaxOp

LogicalResult ArgmaxOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, ArgmaxOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get({rows(adaptor.getX()).getDimSize(0)}, IntegerType::get(context, 32)));
  return success();
}
