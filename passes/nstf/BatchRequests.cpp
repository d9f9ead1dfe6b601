// nstf-batch-requests: lets a step take rows of several requests (Passes.td).
#include "mlir/IR/Remarks.h"
#include "passes/nstf/FormedGraph.h"
#include "passes/nstf/Passes.h"
#include "support/ControlBlock.h"

namespace nstf {
#define GEN_PASS_DEF_BATCHREQUESTSPASS
#include "passes/nstf/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf;

namespace {

struct BatchRequestsPass : nstf::impl::BatchRequestsPassBase<BatchRequestsPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<GraphOp> graph = getGraph(getOperation());
    if (failed(graph) || failed(check(*graph)))
      return signalPassFailure();
    if (requests == 1)
      return;
    graph->setRequests(requests);
    widen(*graph);
    remark::passed(graph->getLoc(),
                   remark::RemarkOpts::name("Requests").category(getArgument()).function(graph->getSymName()))
        << "rows of up to " + std::to_string(requests) + " requests in a step, each with caches of its own";
  }

private:
  LogicalResult check(GraphOp graph) {
    if (requests < 1 || requests > support::ControlBlock::maxRequests)
      return graph.emitError() << "expected 1 to " << support::ControlBlock::maxRequests << " requests but got "
                               << int64_t(requests);
    if (requests == 1)
      return success();
    if (graph.getBody().getOps<KvAppendOp>().empty())
      return graph.emitError() << "expected a model with caches for " << int64_t(requests)
                               << " requests, but it has none";
    for (Operation &op : graph.getBody().getOps()) {
      auto attention = dyn_cast<AttentionOp>(op);
      bool isOfStep = isa<FirstRowOp, MeanRowsOp>(op) || (attention && !attention.readsCache());
      if (isOfStep || !isa<NSTFDialect>(op.getDialect()))
        return op.emitError() << "expected operations on single rows, caches or the last row for " << int64_t(requests)
                              << " requests but got " << op.getName();
    }
    return success();
  }

  /// `last_row` gives one row per request; this widens its result and every value computed from it.
  void widen(GraphOp graph) {
    DenseSet<Value> widened;
    auto setRows = [&](Value value) {
      auto type = cast<RankedTensorType>(value.getType());
      SmallVector<int64_t> shape(type.getShape());
      shape.front() = requests;
      value.setType(RankedTensorType::get(shape, type.getElementType(), type.getEncoding()));
      widened.insert(value);
    };
    for (Operation &op : graph.getBody().getOps()) {
      if (auto last = dyn_cast<LastRowOp>(op)) {
        last.setRequests(requests);
        setRows(last.getResult());
      } else if (llvm::any_of(op.getOperands(), [&](Value operand) { return widened.contains(operand); })) {
        for (Value result : op.getResults())
          setRows(result);
      }
    }
    graph.setFunctionType(FunctionType::get(&getContext(), graph.getArgumentTypes(),
                                            llvm::to_vector(graph.getReturn().getValues().getTypes())));
  }
};

} // namespace
