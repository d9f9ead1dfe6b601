// nstf-join-kernels: joins independent launches (Passes.td).
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "passes/nstf/FormedGraph.h"
#include "passes/nstf/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace nstf {
#define GEN_PASS_DEF_JOINKERNELSPASS
#include "passes/nstf/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf;

namespace {

struct JoinKernelsPass : nstf::impl::JoinKernelsPassBase<JoinKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<GraphOp> graph = getGraph(getOperation());
    if (failed(graph) || failed(verifyFormed(*graph)))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    int64_t before = llvm::range_size(graph->getBody().getOps<StepOp>());
    llvm::StringMap<int64_t> numbers; // number of the next kernel of each stem
    for (auto &[level, steps] : findLevels(*graph))
      for (ArrayRef<StepOp> rest = steps; !rest.empty();) {
        size_t count = countTogether(rest);
        if (count > 1)
          join(rest.take_front(count), *graph, symbols, numbers);
        rest = rest.drop_front(count);
      }
    sortTopologically(&graph->getBody().front());
    eraseUnused(*graph, symbols);
    remark::passed(graph->getLoc(),
                   remark::RemarkOpts::name("Launches").category(getArgument()).function(graph->getSymName()))
        << "launches that need nothing of each other were joined" << remark::metric("kernels", before)
        << remark::metric("launches", int64_t(llvm::range_size(graph->getBody().getOps<StepOp>())));
  }

private:
  /// The max number of buffers of one launch: the address of each occupies two scalar registers from the start of the
  /// kernel.
  static constexpr size_t maxBuffers = 15;

  /// The number of leading steps whose buffers fit in one launch.
  static size_t countTogether(ArrayRef<StepOp> steps) {
    size_t count = 0, buffers = 0;
    for (StepOp step : steps) {
      buffers += step->getNumOperands() + step->getNumResults();
      if (count > 0 && buffers > maxBuffers)
        break;
      ++count;
    }
    return count;
  }

  /// Groups the steps by level: the length of the longest chain of steps before a step.
  static llvm::MapVector<int64_t, SmallVector<StepOp>> findLevels(GraphOp graph) {
    DenseMap<Operation *, int64_t> levelOf;
    llvm::MapVector<int64_t, SmallVector<StepOp>> levels;
    for (StepOp step : graph.getBody().getOps<StepOp>()) {
      int64_t level = 0;
      for (Value operand : step.getInputs())
        if (auto before = operand.getDefiningOp<StepOp>())
          level = std::max(level, levelOf.at(before) + 1);
      levelOf[step] = level;
      levels[level].push_back(step);
    }
    return levels;
  }

  void join(ArrayRef<StepOp> steps, GraphOp graph, SymbolTable &symbols, llvm::StringMap<int64_t> &numbers) {
    llvm::SetVector<Value> inputs;
    SmallVector<KernelOp> kernels;
    SmallVector<Type> results;
    SmallVector<Location> locations;
    std::string stem;
    for (StepOp step : steps) {
      kernels.push_back(symbols.lookup<KernelOp>(step.getKernel()));
      inputs.insert_range(step.getInputs());
      llvm::append_range(results, step.getResultTypes());
      locations.push_back(step.getLoc());
      stem += kernels.back().getSymName().rsplit('_').first.str() + "_";
    }
    std::string name;
    do
      name = stem + std::to_string(numbers[stem]++);
    while (symbols.lookup(name));

    Location location = FusedLoc::get(&getContext(), locations);
    OpBuilder builder(graph);
    SmallVector<Type> inputTypes(ValueRange(inputs.getArrayRef()).getTypes());
    auto kernel = KernelOp::create(builder, location, name, builder.getFunctionType(inputTypes, results));
    symbols.insert(kernel);
    builder.setInsertionPointToStart(&kernel.getBody().front());
    SmallVector<Value> made;
    for (auto [step, of] : llvm::zip_equal(steps, kernels))
      llvm::append_range(made, cloneBody(of, step, kernel, inputs, builder));
    ReturnOp::create(builder, location, made);

    builder.setInsertionPoint(steps.back());
    auto joined = StepOp::create(builder, location, results, name, inputs.getArrayRef(), /*offsets=*/nullptr);
    size_t next = 0;
    for (StepOp step : steps)
      for (Value result : step.getResults())
        result.replaceAllUsesWith(joined.getResult(next++));
    for (StepOp step : steps)
      step.erase();
  }

  /// Clones the body of a step's kernel at the builder's insertion point, and returns the values that it yields.
  static SmallVector<Value> cloneBody(KernelOp of, StepOp step, KernelOp kernel, const llvm::SetVector<Value> &inputs,
                                      OpBuilder &builder) {
    IRMapping mapping;
    for (auto [argument, input] : llvm::zip_equal(of.getBody().getArguments(), step.getInputs()))
      mapping.map(argument, kernel.getBody().getArgument(llvm::find(inputs, input) - inputs.begin()));
    for (Operation &op : of.getBody().front().without_terminator())
      builder.clone(op, mapping);
    return llvm::map_to_vector(of.getReturn().getValues(), [&](Value value) { return mapping.lookup(value); });
  }

  void eraseUnused(GraphOp graph, SymbolTable &symbols) {
    llvm::DenseSet<StringAttr> used;
    for (StepOp step : graph.getBody().getOps<StepOp>())
      used.insert(step.getKernelAttr().getAttr());
    for (KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<KernelOp>()))
      if (!used.contains(kernel.getSymNameAttr()))
        symbols.erase(kernel);
  }
};

} // namespace
