// Binds rope, kv_append and attention to their templates.
#include "passes/nstf_to_systolic/bindings/Bindings.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nstf;

namespace {

/// The matrix that holds a cache in memory.
support::OperandOrder::Matrix getMatrix(Value cache, int64_t headSize) {
  RankedTensorType type = TemplateBinder::getType(cache);
  if (OperandOrderAttr order = OperandOrderAttr::find(type))
    return order.getMatrix(type);
  return {type.getDimSize(0), type.getDimSize(1), headSize};
}

struct RopeBinding : TemplateModel<RopeBinding, RopeOp> {
  static LogicalResult bind(RopeOp op, TemplateBinder &binder) {
    if (!op.getTable())
      return op.emitOpError("expected a table (nstf-materialize-rope-tables) but got none");
    RankedTensorType table = op.getTable().getType();
    int64_t headSize = op.getHeadSize(), heads = op.getX().getType().getDimSize(1) / headSize;
    binder.addBuffer("x", op.getX());
    binder.addBuffer("table", op.getTable());
    binder.addRows("R", op.getX(), heads);
    binder.addParameter("H", heads);
    binder.addParameter("D", headSize);
    binder.addParameter("BD", llvm::PowerOf2Ceil(headSize));
    binder.addParameter("RD", table.getDimSize(1));
    binder.addParameter("CTX", table.getDimSize(0));
    binder.addParameter("INTERLEAVED", op.getInterleaved());
    // The users that follow are a conversion, an append or both; rope's store does them.
    Value target = op.getResult();
    KvAppendOp append;
    while (target.hasOneUse() && isa<ConvertOp, KvAppendOp>(*target.getUsers().begin())) {
      Operation *next = *target.getUsers().begin();
      append = dyn_cast<KvAppendOp>(next);
      target = next->getResult(0);
    }
    binder.addParameter("APPEND", bool(append));
    bool isOrdered = append && OperandOrderAttr::find(append.getType());
    support::OperandOrder::Matrix matrix{binder.getRows(target), 0, headSize};
    if (isOrdered)
      matrix = getMatrix(target, headSize);
    binder.addParameter("RY", matrix.rows * heads);
    binder.addParameter("DY", matrix.headStride);
    binder.addParameter("ORDER", isOrdered);
    binder.binding.tile = target;
    return success();
  }
};

struct KvAppendBinding : TemplateModel<KvAppendBinding, KvAppendOp> {
  static LogicalResult bind(KvAppendOp op, TemplateBinder &binder) {
    RankedTensorType cache = op.getResult().getType();
    OperandOrderAttr order = OperandOrderAttr::find(cache);
    int64_t heads = order ? order.getHeads() : 1, headSize = cache.getDimSize(1) / heads;
    support::OperandOrder::Matrix matrix = getMatrix(op.getResult(), headSize);
    binder.bindRows(op.getRows());
    binder.addParameter("L", cache.getDimSize(0));
    binder.addParameter("C", heads * matrix.headStride);
    binder.addParameter("YR", matrix.rows);
    binder.addParameter("YC", matrix.columns);
    binder.addParameter("D", headSize);
    binder.addParameter("DS", matrix.headStride);
    binder.addParameter("ORDER", !order ? 0 : order.getKind() == CacheKind::keys ? 1 : 2);
    binder.addParameter("PADDED", matrix.headStride != headSize);
    binder.binding.operandType = op.getRows().getType().getElementType();
    return success();
  }
};

struct AttentionBinding : TemplateModel<AttentionBinding, AttentionOp> {
  static LogicalResult bind(AttentionOp op, TemplateBinder &binder) {
    int64_t heads = op.getHeads(), kvHeads = op.getKvHeads(), headSize = op.getHeadSize();
    binder.addBuffer("q", op.getQ());
    binder.addBuffer("k", op.getK());
    binder.addBuffer("v", op.getV());
    if (op.readsCodes()) {
      binder.addBuffer("k_scales", op.getScales()[0]);
      binder.addBuffer("v_scales", op.getScales()[1]);
    }
    // f16 holds every code of 8 bits exactly, so codes are multiplied in f16 even if the queries are bf16.
    Type queries = op.getQ().getType().getElementType();
    binder.binding.operandType = op.readsCodes() && queries.isBF16() ? Float16Type::get(op.getContext()) : queries;
    // The narrowest cell of a matrix instruction is 16 wide, so heads are padded to a multiple of 16.
    int64_t paddedSize = llvm::alignTo(headSize, 16);
    binder.addParameter("DP", paddedSize);
    // A row of the partial result for a part of the keys holds the head's columns, then the softmax's reference and
    // sum.
    binder.addParameter("DX", paddedSize + 16);
    binder.addRows("RT", op.getQ(), 1);
    binder.addRows("RG", op.getQ(), heads / kvHeads);
    binder.addRows("RQ", op.getQ(), heads);
    bool isOrdered = bool(OperandOrderAttr::find(op.getK().getType()));
    support::OperandOrder::Matrix keys = getMatrix(op.getK(), headSize), values = getMatrix(op.getV(), headSize);
    if (!op.readsCache())
      keys.rows = values.rows = binder.getRows(op.getK());
    binder.addParameter("L", keys.rows);
    binder.addParameter("F", keys.columns);
    binder.addParameter("VR", values.rows);
    binder.addParameter("VC", values.columns);
    binder.addParameter("KD", keys.headStride);
    binder.addParameter("VD", values.headStride);
    binder.addParameter("DK", isOrdered ? keys.headStride : paddedSize);
    binder.addParameter("ORDER", isOrdered);
    bool isInteger = op.getV().getType().getElementType().isInteger();
    binder.addParameter("FINITE", isInteger);
    binder.addParameter("RAISE", isInteger && isOrdered && binder.binding.operandType.isF16());
    if (op.readsCodes()) {
      support::OperandOrder::Matrix scales = getMatrix(op.getScales()[0], 1);
      binder.addParameter("SR", scales.rows);
      binder.addParameter("SC", scales.columns);
    }
    binder.addParameter("H", heads);
    binder.addParameter("HK", kvHeads);
    binder.addParameter("G", heads / kvHeads);
    binder.addParameter("D", headSize);
    binder.addParameter("CAUSAL", op.getCausal());
    binder.addParameter("CACHED", op.readsCache());
    binder.addParameter("CODES", op.readsCodes());
    binder.addParameter("SCALE", op.getScale());
    // A window as long as the keys hides none of them.
    int64_t window = op.getWindow().value_or(0);
    binder.addParameter("WINDOW", window < binder.getRows(op.getK()) ? window : 0);
    return success();
  }
};

} // namespace

void nstf::attachAttentionBindings(MLIRContext &context) {
  RopeOp::attachInterface<RopeBinding>(context);
  KvAppendOp::attachInterface<KvAppendBinding>(context);
  AttentionOp::attachInterface<AttentionBinding>(context);
}
