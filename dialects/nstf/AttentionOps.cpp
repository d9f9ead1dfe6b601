// Result types and verifiers of rope, kv_append and attention. Constraint numbers are those of AttentionOps.td.
#include "dialects/nstf/NSTF.h"

#include <cmath>

using namespace mlir;
using namespace nstf;

// RopeOp

LogicalResult RopeOp::inferReturnTypes(MLIRContext *, std::optional<Location>, RopeOp::Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getX().getType());
  return success();
}

LogicalResult RopeOp::verify() {
  RankedTensorType x = getX().getType();
  int64_t headSize = getHeadSize();
  // rope_c1
  if (headSize <= 0 || x.getDimSize(1) % headSize != 0)
    return emitOpError() << "expected features in multiples of head_size but got " << x.getDimSize(1) << " and "
                         << headSize;
  // rope_c2
  if (getInvFreq().empty() || getRotaryDim() > headSize)
    return emitOpError() << "expected 1 to " << headSize / 2 << " frequencies for head_size " << headSize << " but got "
                         << getInvFreq().size();
  // rope_c3
  for (double value : getInvFreq())
    if (!std::isfinite(value))
      return emitOpError() << "expected finite frequencies but got " << value;
  if (!getScale().isFinite())
    return emitOpError() << "expected a finite scale but got " << getScaleAttr();
  // rope_c4
  if (TypedValue<RankedTensorType> table = getTable()) {
    RankedTensorType type = table.getType();
    if (type.getDimSize(1) != getRotaryDim())
      return emitOpError() << "expected a table of " << getRotaryDim() << " columns but got " << type.getDimSize(1);
    if (!type.getElementType().isF32())
      return emitOpError() << "expected a table of f32 but got " << type.getElementType();
  }
  return success();
}

// KvAppendOp

LogicalResult KvAppendOp::inferReturnTypes(MLIRContext *, std::optional<Location>, KvAppendOp::Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getCache().getType());
  return success();
}

LogicalResult KvAppendOp::verify() {
  RankedTensorType rows = getRows().getType(), cache = getCache().getType();
  // kv_append_c1
  if (rows.getDimSize(1) != cache.getDimSize(1) || rows.getElementType() != cache.getElementType())
    return emitOpError() << "expected rows and cache of the same features and element type but got " << rows << " and "
                         << cache;
  // kv_append_c3
  if (rows.getEncoding())
    return emitOpError() << "expected rows that lie row by row but got " << rows;
  return success();
}

// AttentionOp

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, AttentionOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto q = cast<RankedTensorType>(adaptor.getQ().getType());
  types.push_back(RankedTensorType::get(q.getShape(), Float32Type::get(context)));
  return success();
}

bool AttentionOp::isProductOperand(unsigned operand) { return operand < 3; } // q, k and v

/// attention_c9
static LogicalResult verifyScales(AttentionOp op) {
  size_t count = op.getScales().size();
  if (count != 0 && count != 2)
    return op.emitOpError() << "expected scales of k and v or none but got " << count;
  int64_t rows = op.getK().getType().getDimSize(0), heads = op.getKvHeads();
  auto order = OperandOrderAttr::find(op.getK().getType())
                   ? OperandOrderAttr::get(op.getContext(), CacheKind::scales, heads)
                   : OperandOrderAttr();
  auto wanted = RankedTensorType::get({rows, heads}, Float32Type::get(op->getContext()), order);
  for (Value scales : op.getScales())
    if (scales.getType() != wanted)
      return op.emitOpError() << "expected scales of type " << wanted << " but got " << scales.getType();
  return success();
}

/// attention_c3
static LogicalResult verifyOrders(AttentionOp op) {
  RankedTensorType k = op.getK().getType(), v = op.getV().getType();
  if (k.getShape() != v.getShape() || k.getElementType() != v.getElementType())
    return op.emitOpError() << "expected k and v of one type but got " << k << " and " << v;
  if (!k.getEncoding() && !v.getEncoding())
    return success();
  auto order = [&](CacheKind kind) { return OperandOrderAttr::get(op.getContext(), kind, op.getKvHeads()); };
  if (k.getEncoding() != order(CacheKind::keys) || v.getEncoding() != order(CacheKind::values))
    return op.emitOpError() << "expected k in the order of keys and v in that of values, of " << op.getKvHeads()
                            << " heads, or neither but got " << k << " and " << v;
  return success();
}

LogicalResult AttentionOp::verify() {
  RankedTensorType q = getQ().getType(), k = getK().getType();
  int64_t heads = getHeads(), kvHeads = getKvHeads();
  // attention_c1
  if (heads <= 0 || kvHeads <= 0 || heads % kvHeads != 0)
    return emitOpError() << "expected heads in multiples of kv_heads but got " << heads << " and " << kvHeads;
  // attention_c2
  if (q.getDimSize(1) % heads != 0)
    return emitOpError() << "expected features of q in multiples of heads but got " << q.getDimSize(1) << " and "
                         << heads;
  // attention_c3
  if (failed(verifyOrders(*this)))
    return failure();
  // attention_c4
  int64_t features = kvHeads * getHeadSize();
  Type element = k.getElementType();
  bool isCodes = isa<IntegerType, Float8E4M3FNUZType>(element);
  if (k.getDimSize(1) != features || isCodes != readsCodes() || (!isCodes && element != q.getElementType())) {
    InFlightDiagnostic error = emitOpError() << "expected k of " << features << " features of ";
    if (readsCodes())
      return error << "i8 or f8E4M3FNUZ but got " << k;
    return error << q.getElementType() << " but got " << k << (isCodes ? " without scales" : "");
  }
  // attention_c5
  if (readsCache() && (k.isDynamicDim(0) || !getCausal()))
    return emitOpError() << "expected k of " << q
                         << " to be rows of this step, or a static cache and 'causal', but got " << k
                         << (getCausal() ? "" : " without 'causal'");
  // attention_c6
  if (!getScale().isFinite())
    return emitOpError() << "expected a finite scale but got " << getScaleAttr();
  // attention_c8
  if (std::optional<int64_t> window = getWindow()) {
    if (*window < 1)
      return emitOpError() << "expected a window of at least 1 but got " << *window;
    if (!getCausal())
      return emitOpError() << "expected 'causal' beside a window of " << *window << " but got none";
  }
  return verifyScales(*this);
}
