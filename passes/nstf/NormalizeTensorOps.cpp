// nstf-normalize-tensor-ops: rewrites tensor code as linalg.generic (Passes.td).
//
// The pass runs upstream's patterns: named linalg ops and elementwise arith and math ops on tensors become
// linalg.generic, and linalg.softmax is decomposed into generics. tensor.generate stays, because its body is a scalar
// formula already.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/nstf/FormedGraph.h"
#include "passes/nstf/Passes.h"

namespace nstf {
#define GEN_PASS_DEF_NORMALIZETENSOROPSPASS
#include "passes/nstf/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf;

namespace {

struct DecomposeSoftmax : OpRewritePattern<linalg::SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::SoftmaxOp op, PatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getInput().getType()))
      return failure();
    FailureOr<SmallVector<Value>> results = op.decomposeOperation(rewriter);
    if (failed(results))
      return failure();
    rewriter.replaceOp(op, *results);
    return success();
  }
};

/// Makes the conversion of a tensor-code result part of the tensor code, so that the kernel itself stores the narrow
/// type.
struct ConvertTensorCode : OpRewritePattern<ConvertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvertOp op, PatternRewriter &rewriter) const override {
    Operation *producer = op.getX().getDefiningOp();
    unsigned from = getElementTypeOrSelf(op.getX().getType()).getIntOrFloatBitWidth();
    unsigned to = getElementTypeOrSelf(op.getResult().getType()).getIntOrFloatBitWidth();
    if (!producer || isa<NSTFDialect>(producer->getDialect()) || from == to)
      return failure();
    if (from > to)
      rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getResult().getType(), op.getX());
    else
      rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getResult().getType(), op.getX());
    return success();
  }
};

struct NormalizeTensorOpsPass : nstf::impl::NormalizeTensorOpsPassBase<NormalizeTensorOpsPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<GraphOp> graph = getGraph(getOperation());
    if (failed(graph))
      return signalPassFailure();
    // Most models have no tensor ops; without this check the greedy driver would visit all their ops to find out.
    bool hasTensorOps = llvm::any_of(graph->getBody().front(),
                                     [](Operation &op) { return !isa_and_nonnull<NSTFDialect>(op.getDialect()); });
    if (!hasTensorOps)
      return;
    RewritePatternSet patterns(&getContext());
    linalg::populateLinalgNamedOpsGeneralizationPatterns(patterns);
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    patterns.add<ConvertTensorCode, DecomposeSoftmax>(&getContext());
    GreedyRewriteConfig config;
    // Constants and regions stay where they were written, so that a diagnostic names the right line.
    config.enableFolding(true).enableConstantCSE(false).setRegionSimplificationLevel(
        GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(graph->getBody(), std::move(patterns), config))) {
      graph->emitOpError("expected tensor ops that normalise");
      signalPassFailure();
    }
  }
};

} // namespace
