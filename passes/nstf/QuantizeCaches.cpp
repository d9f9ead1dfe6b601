// nstf-quantize-caches: stores keys and values as codes and scales (Passes.td).
//
//   %t = nstf.convert %k {type = f16}                  %q, %s = nstf.quantize %k {type = i8, group = 8}
//   %c = nstf.kv_append %t, %cache                     %c = nstf.kv_append %q, %codes
//   %y = nstf.attention %x, %c, …                ->    %d = nstf.kv_append %s, %scales
//                                                      %y = nstf.attention %x, %c, … scales %d, …
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/nstf/CodeType.h"
#include "passes/nstf/FormedGraph.h"
#include "passes/nstf/OwnCaches.h"
#include "passes/nstf/Passes.h"

namespace nstf {
#define GEN_PASS_DEF_QUANTIZECACHESPASS
#include "passes/nstf/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf;

namespace {

struct QuantizeCachesPass : nstf::impl::QuantizeCachesPassBase<QuantizeCachesPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<GraphOp> graph = getGraph(getOperation());
    if (failed(graph))
      return signalPassFailure();
    if (type.empty())
      return;
    FailureOr<Type> parsed = requireCodeType(type, getOperation());
    if (failed(parsed))
      return signalPassFailure();
    codes = *parsed;
    before = after = 0;
    int64_t attentions = 0;
    SymbolTable symbols(getOperation());
    for (AttentionOp op : graph->getBody().getOps<AttentionOp>()) {
      if (op.readsCodes() || !readsOwnCaches(op)) {
        remark::missed(op.getLoc(),
                       remark::RemarkOpts::name("Attention").category(getArgument()).function(graph->getSymName()))
            << "its keys and values are no numbers of caches that nothing else reads";
        continue;
      }
      Value ofKeys = quantize(op.getK(), op, symbols);
      op.getScalesMutable().assign({ofKeys, op.getV() == op.getK() ? ofKeys : quantize(op.getV(), op, symbols)});
      ++attentions;
    }
    if (attentions == 0) {
      graph->emitError() << "expected attention over caches of numbers but got none";
      return signalPassFailure();
    }
    remark::passed(graph->getLoc(),
                   remark::RemarkOpts::name("Quantized").category(getArgument()).function(graph->getSymName()))
        << "keys and values in codes of " + type << remark::metric("attentions", attentions)
        << remark::metric("bytes_before", before) << remark::metric("bytes", after);
  }

private:
  /// Replaces the cache and the rows appended to it by codes; returns the cache of the scales.
  Value quantize(Value cache, AttentionOp op, SymbolTable &symbols) {
    OwnCache own = getOwnCache(cache, symbols);
    auto [append, get, state] = own;
    before += countBytes(state);
    RankedTensorType coded = cast<RankedTensorType>(state.getType()).clone(codes);
    own.setType(coded);

    OpBuilder builder(&getContext());
    builder.setInsertionPointAfter(state);
    auto scalesType = RankedTensorType::get({coded.getDimSize(0), int64_t(op.getKvHeads())}, builder.getF32Type());
    auto scales = StateOp::create(builder, state.getLoc(), (state.getSymName() + ".scales").str(), scalesType);
    symbols.insert(scales);
    after += countBytes(state) + countBytes(scales);

    auto convert = append.getRows().getDefiningOp<ConvertOp>();
    builder.setInsertionPoint(append);
    auto made = QuantizeOp::create(builder, append.getLoc(), convert ? convert.getX() : append.getRows(), codes,
                                   op.getHeadSize());
    append.getRowsMutable().assign(made.getCodes());
    if (convert && convert->use_empty())
      convert.erase();
    builder.setInsertionPointAfter(append);
    auto old = GetOp::create(builder, append.getLoc(), scalesType, scales.getSymName());
    return KvAppendOp::create(builder, append.getLoc(), made.getScales(), old);
  }

  static int64_t countBytes(StateOp state) {
    auto type = cast<RankedTensorType>(state.getType());
    return type.getNumElements() * type.getElementTypeBitWidth() / 8;
  }

  Type codes;
  int64_t before = 0, after = 0;
};

} // namespace
