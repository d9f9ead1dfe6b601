#include "passes/nstf/FormedGraph.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace nstf {

FailureOr<GraphOp> getGraph(ModuleOp module) {
  auto graphs = module.getOps<GraphOp>();
  if (graphs.empty())
    return module.emitError() << "expected an nstf.graph in the module but got none";
  return *graphs.begin();
}

// The operand whose storage holds a step's result, or null.
static OpOperand *getInPlaceOperand(OpResult result, SymbolTableCollection &symbols) {
  auto step = cast<StepOp>(result.getOwner());
  auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(step, step.getKernelAttr());
  std::optional<unsigned> argument = kernel.getInPlaceArgument(result.getResultNumber());
  return argument ? &step->getOpOperand(*argument) : nullptr;
}

Storage getStorage(Value value, SymbolTableCollection &symbols) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return {Storage::Input, argument.getArgNumber(), {}};
    if (auto get = value.getDefiningOp<GetOp>())
      return {Storage::Symbol, 0, get.getSymbolAttr()};
    if (OpOperand *operand = getInPlaceOperand(cast<OpResult>(value), symbols)) {
      value = operand->get();
      continue;
    }
    for (OpOperand &use : value.getUses())
      if (isa<ReturnOp>(use.getOwner()))
        return {Storage::Output, use.getOperandNumber(), {}};
    return {Storage::Arena, 0, {}};
  }
}

static LogicalResult verifyInPlace(StepOp step, SymbolTableCollection &symbols) {
  for (OpResult result : step->getResults()) {
    OpOperand *operand = getInPlaceOperand(result, symbols);
    if (!operand)
      continue;
    Value old = operand->get();
    auto get = old.getDefiningOp<GetOp>();
    auto before = old.getDefiningOp<StepOp>();
    bool isState = get ? isa<StateOp>(symbols.lookupNearestSymbolFrom(get, get.getSymbolAttr()))
                       : before && getInPlaceOperand(cast<OpResult>(old), symbols);
    if (!isState)
      return step.emitOpError() << "expected operand " << operand->getOperandNumber()
                                << ", which is written in place, to be a state";
    for (OpOperand &use : old.getUses())
      if (&use != operand) {
        InFlightDiagnostic error = step.emitOpError() << "expected operand " << operand->getOperandNumber()
                                                      << ", which is written in place, to have no other use";
        error.attachNote(use.getOwner()->getLoc()) << "other use";
        return error;
      }
  }
  return success();
}

LogicalResult verifyFormed(GraphOp graph) {
  SymbolTableCollection symbols;
  for (Operation &op : graph.getBody().front()) {
    if (!isa<GetOp, StepOp, ReturnOp>(op))
      return op.emitOpError() << "expected nstf.get, nstf.step and nstf.return only in a graph of launches "
                                 "(nstf-form-kernels makes them)";
    if (auto step = dyn_cast<StepOp>(op); step && failed(verifyInPlace(step, symbols)))
      return failure();
  }
  llvm::DenseSet<Value> seen;
  ReturnOp terminator = graph.getReturn();
  for (auto [i, value] : llvm::enumerate(terminator.getValues())) {
    auto refuse = [&](StringRef what) -> LogicalResult {
      return terminator.emitOpError() << "expected result '" << graph.getOutputName(i)
                                      << "' of the graph to be computed by a step of its own but got " << what;
    };
    if (!value.getDefiningOp<StepOp>())
      return refuse(isa<BlockArgument>(value) ? "an argument" : "a weight or state");
    if (getInPlaceOperand(cast<OpResult>(value), symbols))
      return refuse("a state updated in place");
    if (!seen.insert(value).second)
      return refuse("another result too");
  }
  return success();
}

} // namespace nstf
