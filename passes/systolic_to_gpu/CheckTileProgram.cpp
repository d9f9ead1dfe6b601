// Checks the assumptions of the lowering before it begins. Otherwise conversion patterns would fail halfway or produce
// a wrong kernel.
#include "dialects/systolic/Layouts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/systolic/Scratch.h"
#include "passes/systolic_to_gpu/TileLowering.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// Checks that the 32-bit byte offset of a buffer access reaches one past the end of every buffer, and that buffers
/// hold whole tokens.
LogicalResult checkSizes(KernelOp kernel) {
  for (auto [position, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    auto buffer = dyn_cast<MemRefType>(type);
    if (!buffer)
      continue;
    int64_t bytes = buffer.getNumElements() * buffer.getElementTypeBitWidth() / 8;
    if (bytes > int64_t(UINT32_MAX))
      return kernel.emitError() << "expected buffers of less than 4294967296 bytes but argument " << position << " has "
                                << bytes;
    // The begin of a request's own part is a 32-bit index.
    if (int64_t all = kernel.getMaxRequests() * buffer.getNumElements();
        kernel.isOfRequest(position) && all > int64_t(INT32_MAX))
      return kernel.emitError() << "expected less than 2147483648 elements for " << kernel.getMaxRequests()
                                << " requests but argument " << position << " has " << all;
    if (int64_t perToken = kernel.getElementsPerToken(position); perToken && buffer.getNumElements() % perToken != 0)
      return kernel.emitError() << "expected " << perToken << " elements for each token in argument " << position
                                << " but got " << buffer.getNumElements();
  }
  return success();
}

LogicalResult checkHasLayouts(Operation *op) {
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (isa<RankedTensorType>(type) && !getFragment(type))
      return op->emitError() << "expected tiles with layouts (systolic-assign-layouts) but got " << type;
  return success();
}

/// Checks that a tile has the layout `wanted`.
LogicalResult checkLayout(Operation *op, StringRef name, Value tile, FragmentAttr wanted) {
  if (!tile || getFragment(tile.getType()) == wanted)
    return success();
  auto error = op->emitOpError() << "expected " << name << " laid out as ";
  if (wanted)
    error << wanted;
  else
    error << "an operand of the kernel's array";
  return error << " but got " << getFragment(tile.getType());
}

/// Checks that index tiles, broadcasts and reductions have slices of the layout of their tile.
LogicalResult checkSlices(Operation *op) {
  auto layout = [](Value tile) { return getFragment(tile.getType()); };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](LoadOp load) -> LogicalResult {
        unsigned rank = getTileType(load.getResult()).getRank();
        if (load.getAt())
          return checkLayout(op, "at", load.getAt(), layout(load.getResult()));
        unsigned rowDim = getRowDim(load);
        if (load.getRows() &&
            failed(checkLayout(op, "rows", load.getRows(), layout(load.getResult()).dropDim(1 - rowDim))))
          return failure();
        FragmentAttr columns = rank == 2 ? layout(load.getResult()).dropDim(rowDim) : layout(load.getResult());
        return checkLayout(op, "cols", load.getCols(), columns);
      })
      .Case([&](StoreOp store) -> LogicalResult {
        if (!store.getRows())
          return success();
        return checkLayout(op, "rows", store.getRows(), layout(store.getTile()).dropDim(1 - getRowDim(store)));
      })
      .Case([&](BroadcastOp broadcast) -> LogicalResult {
        if (!getTileType(broadcast.getSource()))
          return success();
        return checkLayout(op, "a source", broadcast.getSource(),
                           broadcast.getSourceLayout(layout(broadcast.getResult())));
      })
      .Case([&](DotOp dot) -> LogicalResult {
        FragmentAttr w = layout(dot.getW());
        if (failed(checkLayout(op, "x", dot.getX(), DotOp::getRowLayout(w))))
          return failure();
        return checkLayout(op, "sums", dot.getAcc(), dot.getSumsLayout(w));
      })
      .Case([&](UnpackOp unpack) {
        return checkLayout(op, "a result", unpack.getResult(),
                           layout(unpack.getWords()).refine(unpack.getDim(), unpack.getCodesPerWord()));
      })
      .Case([&](SliceOp slice) -> LogicalResult {
        if (findSlice(slice))
          return success();
        return op->emitOpError() << "expected a part in the registers of the lanes that hold it but got "
                                 << layout(slice.getResult()) << " of " << layout(slice.getTile());
      })
      .Case([&](ReduceOp reduce) {
        return checkLayout(op, "a result", reduce.getResult(), reduce.getResultLayout(layout(reduce.getTile())));
      })
      .Default([](Operation *) { return success(); });
}

/// Checks that all waves move the same number of dwords, that every access names a constant buffer, because each buffer
/// is an LDS array of its own, that blocks of packed arrays stay whole, and that 32 bits reach past the memory's end
/// from any place.
LogicalResult checkStage(StageOp op, KernelOp kernel) {
  LdsType lds = op.getLds().getType();
  auto memory = cast<MemRefType>(op.getBuffer().getType());
  int64_t bytes = lds.getSizeInBytes() / lds.getBuffers(), waves = kernel.getArray()->getNumWaves();
  if (memory.getNumElements() * memory.getElementTypeBitWidth() / 8 >= int64_t(1) << 31)
    return op.emitOpError() << "expected a buffer of less than 2147483648 bytes but got " << memory;
  auto argument = dyn_cast<BlockArgument>(op.getBuffer());
  PackedAttr packing = argument ? kernel.getPacking(argument.getArgNumber()) : PackedAttr();
  if (packing &&
      (lds.getSwizzle() != packing || getDivisor(op.getIndices()[0]) % packing.getRows() != 0 ||
       getDivisor(op.getIndices()[1]) * lds.getElementType().getIntOrFloatBitWidth() % (packing.getBytes() * 8) != 0))
    return op.emitOpError() << "expected whole blocks for an array packed alike but got " << packing << " and " << lds;
  if (getDivisor(op.getIndices()[1]) * memory.getElementTypeBitWidth() % 32 != 0)
    return op.emitOpError("expected a first column at a whole dword");
  if (bytes % (waves * StageOp::bytesAtOnce) != 0)
    return op.emitOpError() << "expected a multiple of " << waves * StageOp::bytesAtOnce << " bytes for " << waves
                            << " waves but got " << bytes;
  for (Operation *user : op.getLds().getUsers()) {
    Value number = llvm::TypeSwitch<Operation *, Value>(user)
                       .Case([](StageOp stage) { return stage.getTo(); })
                       .Case<ReadOp, WriteOp>([](auto access) { return access.getBuffer(); });
    std::optional<int64_t> constant = getConstantIntValue(number);
    if (!constant || *constant < 0 || *constant >= lds.getBuffers()) {
      auto error = user->emitOpError() << "expected the constant number of one of the " << lds.getBuffers()
                                       << " buffers of an array that is staged";
      error.attachNote(op.getLoc()) << "staged here";
      return error;
    }
  }
  return success();
}

LogicalResult checkProduct(MmaOp op, SystolicArrayAttr array, int64_t waveSize) {
  auto check = [&](StringRef name, Value tile, MmaOperand operand) {
    return checkLayout(op, name, tile, getMmaLayout(array, operand, getTileType(tile).getShape(), waveSize));
  };
  if (int64_t(op.getParts()) != array.getParts())
    return op.emitOpError() << "expected the " << array.getParts() << " parts of the kernel's array but got "
                            << op.getParts();
  if (failed(check("a", op.getA(), MmaOperand::A)) || failed(check("b", op.getB(), MmaOperand::B)))
    return failure();
  return check("acc", op.getAcc(), MmaOperand::Acc);
}

LogicalResult checkSum(SumPartsOp op, SystolicArrayAttr array, int64_t waveSize) {
  if (op.getParts() != array.getParts())
    return op.emitOpError() << "expected the " << array.getParts() << " parts of the kernel's array but got "
                            << op.getParts();
  FragmentAttr tile = getMmaLayout(array, MmaOperand::Acc, getTileType(op.getTile()).getShape(), waveSize);
  if (failed(checkLayout(op, "a tile", op.getTile(), tile)))
    return failure();
  FragmentAttr sum = getSumLayout(array, getTileType(op.getResult()).getShape(), waveSize);
  return checkLayout(op, "a result", op.getResult(), sum);
}

} // namespace

LogicalResult nstf::systolic::checkTileProgram(KernelOp kernel) {
  if (!kernel.getArray() || !kernel.getWaveSize())
    return kernel.emitError("expected array and wave_size (systolic-select-array) but got none");
  if (failed(checkSizes(kernel)))
    return failure();
  if (int64_t indices = llvm::count_if(kernel.getArgumentTypes(), llvm::IsaPred<IndexType>); indices != 1)
    return kernel.emitError() << "expected one work index (systolic-order-workgroups) but got " << indices;
  int64_t waveSize = *kernel.getWaveSize(), scratch = 0;
  for (auto [position, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (kernel.getArgAttr(position, scratchAttributeName))
      scratch = cast<LdsType>(type).getSizeInBytes() / kernel.getCrews();
    else if (isa<LdsType>(type) && kernel.getCrews() > 1)
      return kernel.emitError() << "expected no LDS but scratch with " << kernel.getCrews() << " crews but argument "
                                << position << " is " << type;
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    if (op == kernel)
      return WalkResult::advance();
    if (isa<func::CallOp>(op))
      return op->emitError("expected slots to be inlined but got a call");
    auto control = dyn_cast<ControlOp>(op);
    if (isa<ParamOp>(op) || (control && control.getField() == ControlField::rows))
      return op->emitError("expected parameters to be constants (systolic-instantiate)");
    if (auto crew = dyn_cast<CrewOp>(op); crew && !crew.getKnownCount())
      return op->emitOpError("expected a count that is a constant (systolic-instantiate)");
    if (failed(checkHasLayouts(op)) || failed(checkSlices(op)))
      return WalkResult::interrupt();
    if (auto product = dyn_cast<MmaOp>(op); product && failed(checkProduct(product, *kernel.getArray(), waveSize)))
      return WalkResult::interrupt();
    if (auto sum = dyn_cast<SumPartsOp>(op); sum && failed(checkSum(sum, *kernel.getArray(), waveSize)))
      return WalkResult::interrupt();
    if (auto stage = dyn_cast<StageOp>(op); stage && failed(checkStage(stage, kernel)))
      return WalkResult::interrupt();
    int64_t bytes = getScratchBytes(op, waveSize);
    if (bytes && op->getParentOfType<IfAnyOp>()) // if_any_c4
      return op->emitError("expected nothing that goes from wave to wave in a region that some may skip");
    if (bytes > scratch)
      return op->emitError() << "expected " << bytes << " bytes of scratch (systolic-allocate-scratch) but got "
                             << scratch;
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
