// nstf-plan-memory: computes the lifetimes of values over the list of steps, then places the values in one arena
// (Passes.td).
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "passes/nstf/ArenaValues.h"
#include "passes/nstf/Passes.h"

namespace nstf {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "passes/nstf/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf;

namespace {

struct PlanMemoryPass : nstf::impl::PlanMemoryPassBase<PlanMemoryPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<GraphOp> graph = getGraph(getOperation());
    if (failed(graph) || failed(verifyFormed(*graph)))
      return signalPassFailure();
    FailureOr<int64_t> tokens = countTokens(*graph);
    if (failed(tokens))
      return signalPassFailure();

    const ArenaValues arena = collectArenaValues(*graph, *tokens);
    MemoryPlan plan = planMemory(arena.lifetimes, arenaAlignment);
    for (StepOp step : graph->getBody().getOps<StepOp>())
      step.setOffsets(SmallVector<int64_t>(step->getNumResults(), -1));
    for (auto [value, offset] : llvm::zip_equal(arena.values, plan.offsets)) {
      auto step = cast<StepOp>(value.getOwner());
      SmallVector<int64_t> offsets(*step.getOffsets());
      offsets[value.getResultNumber()] = offset;
      step.setOffsets(offsets);
    }
    Builder builder(&getContext());
    (*graph)->setAttr(NSTFDialect::arenaSizeAttributeName, builder.getI64IntegerAttr(plan.peak));
    getOperation()->setAttr(NSTFDialect::maxTokensAttributeName, builder.getI64IntegerAttr(*tokens));
    if (failed(verifyPlanned(*graph, *tokens)))
      return signalPassFailure();

    int64_t sum = 0;
    for (const LiveInterval &lifetime : arena.lifetimes)
      sum += lifetime.size;
    remark::passed(graph->getLoc(),
                   remark::RemarkOpts::name("Arena").category(getArgument()).function(graph->getSymName()))
        << "results of all steps share one arena" << remark::metric("peak", plan.peak)
        << remark::metric("lower_bound", peakLowerBound(arena.lifetimes, arenaAlignment)) << remark::metric("sum", sum)
        << remark::metric("values", int64_t(arena.values.size())) << remark::metric("max_tokens", *tokens);
  }

  // The max number of rows that a leading `?` stands for.
  FailureOr<int64_t> countTokens(GraphOp graph) {
    int64_t context = graph.getContext(), tokens = context;
    if (auto attribute = getOperation()->getAttrOfType<IntegerAttr>(NSTFDialect::maxTokensAttributeName))
      tokens = attribute.getInt();
    if (maxTokens != 0)
      tokens = maxTokens;
    if (tokens < 1 || tokens > context)
      return graph.emitError() << "expected max-tokens of 1 to " << context << ", the context, but got " << tokens;
    return tokens;
  }
};

} // namespace
