// Preconditions of the passes on tile programs (Preconditions.h).
#include "passes/systolic/Preconditions.h"
#include "passes/analysis/Operands.h"
#include "passes/systolic/Scratch.h"

using namespace mlir;
using namespace nstf::systolic;

/// Emits an error at the first op for which `find` returns a text.
static LogicalResult requireOfAll(KernelOp kernel, function_ref<std::string(Operation *)> find) {
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    std::string fault = find(op);
    return fault.empty() ? WalkResult::advance() : WalkResult(op->emitError(fault));
  });
  return failure(result.wasInterrupted());
}

static bool hasTile(Operation *op, function_ref<bool(RankedTensorType)> predicate) {
  auto isIt = [&](Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && predicate(tile);
  };
  return llvm::any_of(op->getResultTypes(), isIt) || llvm::any_of(op->getOperandTypes(), isIt);
}

FailureOr<KernelOp> nstf::systolic::requireOneKernel(Operation *symbols) {
  auto kernels = llvm::to_vector(symbols->getRegion(0).getOps<KernelOp>());
  if (kernels.size() != 1)
    return symbols->emitError() << "expected one systolic.kernel in the module but got " << kernels.size();
  return kernels.front();
}

LogicalResult nstf::systolic::requireInstantiated(KernelOp kernel) {
  auto isOpen = [](RankedTensorType tile) { return isa<OperandType, AccumulatorType>(tile.getElementType()); };
  return requireOfAll(kernel, [&](Operation *op) -> std::string {
    if (isa<ParamOp>(op))
      return "expected no parameters (systolic-instantiate) but got one";
    return hasTile(op, isOpen) ? "expected tiles of a type (systolic-instantiate) but got an open one" : "";
  });
}

LogicalResult nstf::systolic::requireInlined(KernelOp kernel) {
  if (failed(requireInstantiated(kernel)))
    return failure();
  return requireOfAll(kernel, [](Operation *op) -> std::string {
    return isa<CallOpInterface>(op) ? "expected slots to be part of the kernel (inline) but got a call" : "";
  });
}

LogicalResult nstf::systolic::requireOrdered(KernelOp kernel) {
  int64_t indices = llvm::count_if(kernel.getArgumentTypes(), llvm::IsaPred<IndexType>);
  if (indices > 1)
    return kernel.emitError() << "expected one work index (systolic-order-workgroups) but got " << indices;
  return success();
}

LogicalResult nstf::systolic::requireArray(KernelOp kernel) {
  if (!kernel.getArray() || !kernel.getWaveSize())
    return kernel.emitError("expected array and wave_size (systolic-select-array) but got none");
  return success();
}

LogicalResult nstf::systolic::requireNoArray(KernelOp kernel) {
  if (kernel.getArray())
    return kernel.emitError("expected no array yet (systolic-select-array comes later) but got one");
  return success();
}

FailureOr<int64_t> nstf::systolic::requireWaveSize(KernelOp kernel) {
  if (!kernel.getWaveSize())
    return kernel.emitError("expected a wave size (systolic-select-wave-size) but got none");
  return int64_t(*kernel.getWaveSize());
}

LogicalResult nstf::systolic::requireLayouts(KernelOp kernel) {
  return requireOfAll(kernel, [](Operation *op) -> std::string {
    bool lacksOne = hasTile(op, [](RankedTensorType tile) { return !getFragment(tile); });
    return lacksOne ? "expected tiles with layouts (systolic-assign-layouts) but got one without" : "";
  });
}

LogicalResult nstf::systolic::requireNoLayouts(KernelOp kernel) {
  return requireOfAll(kernel, [](Operation *op) -> std::string {
    bool hasOne = hasTile(op, [](RankedTensorType tile) { return bool(getFragment(tile)); });
    return hasOne ? "expected tiles without layouts (systolic-assign-layouts comes later) but got one with" : "";
  });
}

LogicalResult nstf::systolic::requireStaged(KernelOp kernel) {
  return requireOfAll(kernel, [](Operation *op) -> std::string {
    auto conversion = dyn_cast<ConvertLayoutOp>(op);
    bool isLeft = conversion && isOperand(conversion) && !conversion.getApart() && !op->hasAttr(unstagedAttributeName);
    return isLeft ? "expected operands to go through LDS (systolic-stage-operands) but got a conversion" : "";
  });
}

LogicalResult nstf::systolic::requirePlanned(const LoopAnalysis &loops) {
  for (const ProductLoop &product : loops.getLoops())
    if (!product.loop->hasAttr(planAttributeName))
      return product.loop->emitError("expected a loop of products with a plan (systolic-plan-loops) but got none");
  return success();
}

LogicalResult nstf::systolic::requirePipelined(const LoopAnalysis &loops) {
  if (failed(requirePlanned(loops)))
    return failure();
  for (const ProductLoop &product : loops.getLoops())
    if (!product.loop->hasAttr(pipelinedAttributeName))
      return product.loop->emitError("expected a loop as its plan wants it (systolic-insert-prefetch) but got one that "
                                     "is as it was");
  return success();
}

LogicalResult nstf::systolic::requireNoScratch(KernelOp kernel) {
  for (unsigned argument = 0; argument < kernel.getNumArguments(); ++argument)
    if (kernel.getArgAttr(argument, scratchAttributeName))
      return kernel.emitError("expected no scratch yet (systolic-allocate-scratch comes later) but got some");
  return success();
}

static constexpr StringLiteral optionalPasses[] = {
    "systolic-order-workgroups", "systolic-drop-unused-arguments", "systolic-align-blocks",  "systolic-split-reduction",
    "systolic-split-sums",       "systolic-share-loads",           "systolic-schedule-loop", "systolic-widen-stores"};

void nstf::systolic::noteRun(KernelOp kernel, StringRef pass) {
  SmallVector<Attribute> run;
  if (auto before = kernel->getAttrOfType<ArrayAttr>(passesAttributeName))
    llvm::append_range(run, before);
  auto name = StringAttr::get(kernel.getContext(), pass);
  if (!llvm::is_contained(run, name))
    run.push_back(name);
  kernel->setAttr(passesAttributeName, ArrayAttr::get(kernel.getContext(), run));
}

SmallVector<StringRef> nstf::systolic::listNotRun(KernelOp kernel) {
  auto run = kernel->getAttrOfType<ArrayAttr>(passesAttributeName);
  if (!run)
    return {};
  SmallVector<StringRef> missing;
  for (StringRef pass : optionalPasses)
    if (!llvm::is_contained(run, StringAttr::get(kernel.getContext(), pass)))
      missing.push_back(pass);
  return missing;
}
