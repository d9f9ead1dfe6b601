// Nstf-plan-memory: lifetimes over the list of steps, then places in one arena (Passes.td).
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/MemoryPlan.h"
#include "passes/nstf/FormedGraph.h"
#include "passes/nstf/Passes.h"

namespace nstf {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "passes/nstf/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf;

namespace {

// What device allocations are aligned to, too: a value's rows begin where full-width loads may.
constexpr int64_t blockAlignment = 256;

struct PlanMemoryPass : nstf::impl::PlanMemoryPassBase<PlanMemoryPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<GraphOp> graph = getGraph(getOperation());
    if (failed(graph) || failed(verifyFormed(*graph)))
      return signalPassFailure();
    FailureOr<int64_t> tokens = countTokens(*graph);
    if (failed(tokens))
      return signalPassFailure();

    SmallVector<StepOp> steps(graph->getBody().getOps<StepOp>());
    DenseMap<Operation *, int64_t> position;
    for (auto [i, step] : llvm::enumerate(steps))
      position[step] = i;

    SymbolTableCollection symbols;
    SmallVector<OpResult> values; // those that live in the arena
    std::vector<LiveInterval> intervals;
    int64_t sum = 0;
    for (auto [i, step] : llvm::enumerate(steps))
      for (OpResult value : step->getResults()) {
        if (getStorage(value, symbols).kind != Storage::Arena)
          continue;
        LiveInterval interval{countBytes(value.getType(), *tokens), int64_t(i), int64_t(i)};
        for (Operation *user : value.getUsers())
          interval.last = std::max(interval.last, position.at(user));
        sum += interval.size;
        values.push_back(value);
        intervals.push_back(interval);
      }

    MemoryPlan plan = planMemory(intervals, blockAlignment);
    for (StepOp step : steps)
      step.setOffsets(SmallVector<int64_t>(step->getNumResults(), -1));
    for (auto [value, offset] : llvm::zip_equal(values, plan.offsets)) {
      auto step = cast<StepOp>(value.getOwner());
      SmallVector<int64_t> offsets(*step.getOffsets());
      offsets[value.getResultNumber()] = offset;
      step.setOffsets(offsets);
    }
    Builder builder(&getContext());
    (*graph)->setAttr(NSTFDialect::arenaSizeAttributeName, builder.getI64IntegerAttr(plan.peak));
    getOperation()->setAttr(NSTFDialect::maxTokensAttributeName, builder.getI64IntegerAttr(*tokens));

    remark::passed(graph->getLoc(),
                   remark::RemarkOpts::name("Arena").category(getArgument()).function(graph->getSymName()))
        << "results of all steps share one arena" << remark::metric("peak", plan.peak)
        << remark::metric("lower_bound", peakLowerBound(intervals, blockAlignment)) << remark::metric("sum", sum)
        << remark::metric("values", int64_t(values.size())) << remark::metric("max_tokens", *tokens);
  }

  // How many rows a leading `?` stands for at most.
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

  static int64_t countBytes(Type type, int64_t tokens) {
    auto tensor = cast<RankedTensorType>(type);
    int64_t bytes = tensor.getElementTypeBitWidth() / 8;
    for (int64_t size : tensor.getShape())
      bytes *= ShapedType::isDynamic(size) ? tokens : size;
    return bytes;
  }
};

} // namespace
