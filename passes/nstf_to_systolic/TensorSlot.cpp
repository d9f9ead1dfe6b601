// Fills kernels of tensor code into the template `generic` (TensorSlot.h).
#include "passes/nstf_to_systolic/TensorSlot.h"
#include "passes/nstf_to_systolic/TensorPull.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nstf;

/// The number of elements of a tensor; nothing if a 32-bit index cannot address them all.
static std::optional<int64_t> countElements(ArrayRef<int64_t> shape, int64_t maxTokens) {
  int64_t elements = 1;
  for (int64_t size : shape)
    if (llvm::MulOverflow(elements, ShapedType::isDynamic(size) ? maxTokens : size, elements) || elements > INT32_MAX)
      return std::nullopt;
  return elements;
}

bool nstf::isTensorKernel(KernelOp kernel) {
  return llvm::any_of(kernel.getBody().front(),
                      [](Operation &op) { return !isa_and_nonnull<NSTFDialect>(op.getDialect()); });
}

static LogicalResult checkIndices(KernelOp kernel, int64_t maxTokens) {
  auto check = [&](Location loc, ArrayRef<int64_t> shape) -> LogicalResult {
    if (countElements(shape, maxTokens))
      return success();
    InFlightDiagnostic error = emitError(loc) << "expected at most 2147483647 elements, the reach of a 32-bit index, "
                                                 "but got ";
    llvm::interleave(
        shape,
        [&](int64_t size) {
          if (ShapedType::isDynamic(size))
            error << maxTokens;
          else
            error << size;
        },
        [&] { error << "x"; });
    return error;
  };
  auto checkType = [&](Location loc, Type type) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? check(loc, tensor.getShape()) : success();
  };
  for (Type type : kernel.getArgumentTypes())
    if (failed(checkType(kernel.getLoc(), type)))
      return failure();
  for (Operation &op : kernel.getBody().front()) {
    for (Type type : op.getResultTypes())
      if (failed(checkType(op.getLoc(), type)))
        return failure();
    if (auto generic = dyn_cast<linalg::GenericOp>(op);
        generic && failed(check(op.getLoc(), generic.getStaticLoopRanges())))
      return failure();
  }
  return success();
}

FailureOr<TemplateBinding> nstf::bindTensorKernel(KernelOp kernel, int64_t maxTokens) {
  if (failed(checkIndices(kernel, maxTokens)))
    return failure();
  auto type = cast<RankedTensorType>(kernel.getResultTypes().front());
  int64_t elements = *countElements(type.getShape(), 1);
  TemplateBinding::Parameter reduced{"reduced", 1, /*perToken=*/0, /*atLeast=*/1};
  bool isDynamic = !type.hasStaticShape(), isContiguous = false;
  kernel.walk([&](linalg::GenericOp op) {
    if (!getLaneReduction(op))
      return;
    SmallVector<unsigned> loops;
    op.getReductionDims(loops);
    int64_t count = 1;
    bool grows = false;
    for (unsigned loop : loops)
      if (int64_t size = op.getStaticLoopRanges()[loop]; !ShapedType::isDynamic(size))
        count *= size;
      else if (std::exchange(grows, true)) // a second loop over the tokens counts with the max number of tokens
        count *= maxTokens;
    int64_t &most = grows ? reduced.perToken : reduced.atLeast;
    most = std::max(most, count);
    for (OpOperand *input : op.getDpsInputOperands())
      if (AffineMap map = op.getMatchingIndexingMap(input); map.getNumResults() > 0)
        isContiguous |= map.getResults().back().isFunctionOfDim(loops.back());
  });
  reduced.value = std::max(reduced.atLeast, reduced.perToken * maxTokens);
  TemplateBinding binding;
  binding.parameters = {{"N", isDynamic ? elements * maxTokens : elements, isDynamic ? elements : 0},
                        {"E", elements},
                        {"ROWS", isDynamic ? 0 : 1}};
  binding.facts = {reduced, {"contiguous", isContiguous}};
  return binding;
}

LogicalResult nstf::fillTensorSlot(func::FuncOp slot, KernelOp kernel, systolic::KernelOp program, int64_t maxTokens) {
  MLIRContext *context = kernel->getContext();
  Builder attributes(context);
  unsigned output = *program.findBuffer("y");
  func::CallOp call;
  program.walk([&](func::CallOp op) { call = op; });

  TensorPull::Options options;
  options.lanes = program.getParam("BR").value_or(1);
  unsigned place = output;
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    if (argument.use_empty()) // an argument of another part
      continue;
    auto tensor = cast<RankedTensorType>(argument.getType());
    int64_t elements = *countElements(tensor.getShape(), maxTokens);
    auto axes = systolic::AxesAttr::get(context, Attribute(attributes.getI64IntegerAttr(elements)));
    auto buffer = MemRefType::get(elements, tensor.getElementType(), MemRefLayoutAttrInterface(), axes);
    program.insertBuffer(++place, buffer, ("x" + Twine(argument.getArgNumber())).str());
    setElementsPerToken(program, place, tensor);
    call.getOperandsMutable().append(Value(program.getArgument(place)));
    (void)slot.insertArgument(slot.getNumArguments(), buffer, {}, slot.getLoc());
    options.buffers[argument] = slot.getArguments().back();
  }

  Operation *terminator = slot.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  options.tile = cast<RankedTensorType>(slot.getArgument(0).getType());
  options.linear = slot.getArgument(0);
  options.start = slot.getArgument(1);
  options.tokens = slot.getArgument(2);
  Value root = kernel.getBody().front().getTerminator()->getOperand(0);
  Value result = TensorPull(builder, kernel.getLoc(), options).pull(root, {{}, options.linear});
  if (!result)
    return failure();
  // Stores convert f32 to the narrower float types; an i32 needs a tile of its own type.
  terminator->setOperand(0, result);
  slot.setFunctionType(FunctionType::get(context, slot.getArgumentTypes(), result.getType()));
  call.getResult(0).setType(result.getType());
  return success();
}
