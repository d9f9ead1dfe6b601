// Fills a template's slot @epilogue (Slot.h).
#include "passes/nstf_to_systolic/Slot.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nstf;
using systolic::AxesAttr;

namespace {

Value getBias(KernelOp region) {
  auto linear = dyn_cast<LinearOp>(region.getBody().front().front());
  return linear ? linear.getBias() : Value();
}

/// The elementwise ops of the region, in order.
SmallVector<Operation *> getElementwiseOps(KernelOp region) {
  SmallVector<Operation *> ops;
  for (Operation &op : region.getBody().front())
    if (isa<ElementwiseOp>(op))
      ops.push_back(&op);
  return ops;
}

class SlotBuilder {
public:
  SlotBuilder(func::FuncOp slot) : loc(slot.getLoc()), builder(slot.getContext()) {
    builder.setInsertionPoint(slot.getBody().front().getTerminator());
    tileType = cast<RankedTensorType>(slot.getArgumentTypes()[0]);
    m0 = slot.getArgument(1);
    n0 = slot.getArgument(2);
  }

  Value loadMatrix(Value buffer) {
    return systolic::LoadOp::create(builder, loc, tileType, buffer, ValueRange{m0, n0}, ValueRange(), Value(), Value());
  }

  Value loadBias(Value buffer) {
    auto axes = cast<AxesAttr>(tileType.getEncoding()).dropDim(0);
    auto type = RankedTensorType::get(tileType.getShape().drop_front(), tileType.getElementType(), axes);
    Value bias = systolic::LoadOp::create(builder, loc, type, buffer, ValueRange{n0}, ValueRange(), Value(), Value());
    return systolic::BroadcastOp::create(builder, loc, tileType, bias, 0);
  }

  Value add(Value left, Value right) { return arith::AddFOp::create(builder, loc, left, right); }
  Value mul(Value left, Value right) { return arith::MulFOp::create(builder, loc, left, right); }

  /// x / (1 + exp(-x)); exp overflows to infinity for very negative x, and the quotient is -0.
  Value silu(Value x) {
    auto one = DenseElementsAttr::get(tileType, builder.getFloatAttr(tileType.getElementType(), 1.0));
    Value negated = arith::NegFOp::create(builder, loc, x);
    Value exponential = math::ExpOp::create(builder, loc, negated);
    Value denominator = add(exponential, arith::ConstantOp::create(builder, loc, one));
    return arith::DivFOp::create(builder, loc, x, denominator);
  }

  Value apply(Operation *op, ValueRange operands) {
    return llvm::TypeSwitch<Operation *, Value>(op)
        .Case<AddOp>([&](AddOp) { return add(operands[0], operands[1]); })
        .Case<MulOp>([&](MulOp) { return mul(operands[0], operands[1]); })
        .Case<SiluOp>([&](SiluOp) { return silu(operands[0]); })
        .Case<SwigluOp>([&](SwigluOp) { return mul(silu(operands[0]), operands[1]); })
        .Default([](Operation *) { return Value(); });
  }

private:
  Location loc;
  OpBuilder builder;
  RankedTensorType tileType;
  Value m0, n0;
};

} // namespace

SmallVector<SlotOperand> nstf::getSlotOperands(KernelOp region, Value tile, MemRefType output) {
  llvm::SetVector<Value> values;
  if (Value bias = getBias(region))
    values.insert(bias);
  for (Operation *op : getElementwiseOps(region))
    for (Value operand : op->getOperands())
      if (isa<BlockArgument>(operand) && operand != tile)
        values.insert(operand);
  SmallVector<SlotOperand> operands;
  for (Value value : values) {
    if (cast<RankedTensorType>(value.getType()).getRank() == 2) {
      operands.push_back({value, output});
      continue;
    }
    auto axes = cast<AxesAttr>(output.getMemorySpace()).dropDim(0);
    operands.push_back({value, MemRefType::get(output.getShape().drop_front(), output.getElementType(),
                                               MemRefLayoutAttrInterface(), axes)});
  }
  return operands;
}

LogicalResult nstf::fillSlot(func::FuncOp slot, KernelOp region, Value tile, ArrayRef<SlotOperand> operands) {
  DenseMap<Value, Value> values = {{tile, slot.getArgument(0)}};
  for (const SlotOperand &operand : operands) {
    (void)slot.insertArgument(slot.getNumArguments(), operand.type, {}, slot.getLoc());
    values[operand.value] = slot.getArgument(slot.getNumArguments() - 1);
  }
  SlotBuilder builder(slot);
  for (const SlotOperand &operand : operands)
    values[operand.value] = operand.type.getRank() == 2 ? builder.loadMatrix(values[operand.value])
                                                        : builder.loadBias(values[operand.value]);
  Value result = values[tile];
  if (Value bias = getBias(region)) {
    result = builder.add(result, values[bias]);
    values[tile] = result;
  }
  for (Operation *op : getElementwiseOps(region)) {
    SmallVector<Value> inputs;
    for (Value operand : op->getOperands()) {
      if (!values.contains(operand))
        return op->emitOpError("expected operands that the slot of the kernel's template can see");
      inputs.push_back(values[operand]);
    }
    result = builder.apply(op, inputs);
    if (!result)
      return op->emitOpError("expected an elementwise operation with a meaning on tiles");
    values[op->getResult(0)] = result;
  }
  slot.getBody().front().getTerminator()->setOperand(0, result);
  return success();
}
