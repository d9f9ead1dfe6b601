// nstf-order-caches: stores caches in the order of matrix operands (Passes.td).
//
//   nstf.state @k : tensor<512x64xf16>  ->  nstf.state @k : tensor<512x64xf16, #nstf.operand_order<keys, heads = 2>>
//   nstf.state @v : tensor<512x64xf16>  ->  nstf.state @v : tensor<512x64xf16, #nstf.operand_order<values, heads = 2>>
//   nstf.state @s : tensor<512x2xf32>   ->  nstf.state @s : tensor<512x2xf32, #nstf.operand_order<scales, heads = 2>>
#include "mlir/IR/Remarks.h"
#include "passes/nstf/FormedGraph.h"
#include "passes/nstf/OwnCaches.h"
#include "passes/nstf/Passes.h"

namespace nstf {
#define GEN_PASS_DEF_ORDERCACHESPASS
#include "passes/nstf/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf;

namespace {

/// The largest size of a head: with wider heads one product covers fewer keys than a block of values has.
constexpr int64_t maxHeadSize = 256;

struct OrderCachesPass : nstf::impl::OrderCachesPassBase<OrderCachesPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<GraphOp> graph = getGraph(getOperation());
    if (failed(graph))
      return signalPassFailure();
    before = after = 0;
    int64_t attentions = 0;
    SymbolTable symbols(getOperation());
    for (AttentionOp op : graph->getBody().getOps<AttentionOp>()) {
      if (!op.readsCache())
        continue;
      if (StringRef reason = getMisfit(op); !reason.empty()) {
        remark::missed(op.getLoc(),
                       remark::RemarkOpts::name("Attention").category(getArgument()).function(graph->getSymName()))
            << reason;
        continue;
      }
      order(getOwnCache(op.getK(), symbols), CacheKind::keys, op.getKvHeads());
      order(getOwnCache(op.getV(), symbols), CacheKind::values, op.getKvHeads());
      for (Value scales : op.getScales())
        order(getOwnCache(scales, symbols), CacheKind::scales, op.getKvHeads());
      ++attentions;
    }
    if (attentions)
      remark::passed(graph->getLoc(),
                     remark::RemarkOpts::name("Ordered").category(getArgument()).function(graph->getSymName()))
          << "keys and values in the order of matrix operands" << remark::metric("attentions", attentions)
          << remark::metric("bytes_before", before) << remark::metric("bytes", after);
  }

private:
  /// The reason why the caches of this op keep their order; empty if they do not.
  static StringRef getMisfit(AttentionOp op) {
    if (!readsOwnCaches(op) || op.getK() == op.getV())
      return "its keys and values are no two caches that nothing else reads";
    if (op.readsCodes() && (!hasOwnScales(op) || op.getScales()[0] == op.getScales()[1]))
      return "its scales are no two caches that nothing else reads";
    if (op.getHeadSize() > maxHeadSize)
      return "its heads are wider than 256 columns";
    return "";
  }

  void order(OwnCache cache, CacheKind kind, int64_t heads) {
    auto type = cast<RankedTensorType>(cache.state.getType());
    auto order = OperandOrderAttr::get(&getContext(), kind, heads);
    int64_t elementBytes = type.getElementTypeBitWidth() / 8;
    support::OperandOrder::Matrix matrix = order.getMatrix(type);
    before += type.getNumElements() * elementBytes;
    after += matrix.rows * matrix.columns * elementBytes;
    cache.setType(type.cloneWithEncoding(order));
  }

  int64_t before = 0, after = 0;
};

} // namespace
