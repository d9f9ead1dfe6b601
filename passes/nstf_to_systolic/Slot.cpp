// Fills a template's slot @epilogue (Slot.h).
#include "passes/nstf_to_systolic/Slot.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace nstf;
using systolic::AxesAttr;

namespace {

Value getBias(KernelOp region) {
  Operation *anchor = &region.getBody().front().front();
  if (auto linear = dyn_cast<LinearOp>(anchor))
    return linear.getBias();
  auto norm = dyn_cast<LayerNormOp>(anchor);
  return norm ? norm.getBias() : Value();
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

  /// What is made from now on comes from a line of the model, not of the template.
  void setLocation(Location location) { loc = location; }

  Value loadMatrix(Value buffer) {
    return systolic::LoadOp::create(builder, loc, tileType, buffer, ValueRange{m0, n0}, ValueRange(), Value(), Value());
  }

  /// The rows of the tile's positions, from row `offset` of the table on.
  Value loadPositions(Value table, Value control, int64_t offset) {
    Value position = systolic::ControlOp::create(builder, loc, control, systolic::ControlField::position);
    Value first = arith::AddIOp::create(builder, loc, m0, position);
    Value start = arith::ConstantIndexOp::create(builder, loc, offset);
    Value row = arith::AddIOp::create(builder, loc, first, start);
    return systolic::LoadOp::create(builder, loc, tileType, table, ValueRange{row, n0}, ValueRange(), Value(), Value());
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
    Value negated = arith::NegFOp::create(builder, loc, x);
    Value exponential = math::ExpOp::create(builder, loc, negated);
    Value denominator = add(exponential, constant(1));
    return arith::DivFOp::create(builder, loc, x, denominator);
  }

  /// x/2·(1 + erf(x/√2)). x is kept above -20, where the factor is 0 already, so that -infinity gives no 0·∞.
  Value geluErf(Value x) {
    Value erf = math::ErfOp::create(builder, loc, mul(x, constant(1 / std::numbers::sqrt2)));
    return mul(mul(above20(x), constant(0.5)), add(erf, constant(1)));
  }

  /// x/2·(1 + tanh(t)) is x / (1 + exp(-2t)), and t = x·(c + 0.044715·c·x²) for c = √(2/π).
  Value geluTanh(Value x) {
    const double c = -2 * std::sqrt(2 / std::numbers::pi);
    Value square = mul(x, x);
    Value factor = math::FmaOp::create(builder, loc, square, constant(0.044715 * c), constant(c));
    Value denominator = add(math::ExpOp::create(builder, loc, mul(x, factor)), constant(1));
    return arith::DivFOp::create(builder, loc, above20(x), denominator);
  }

  /// Not maximumf: that is three instructions, and what is not a number passes here too.
  Value relu(Value x) {
    Value zero = constant(0);
    Value isBelow = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, x, zero);
    return arith::SelectOp::create(builder, loc, isBelow, zero, x);
  }

  /// To the convert's type and back: tiles of activations are f32.
  Value round(Value x, ConvertOp convert) {
    Type type = cast<RankedTensorType>(convert.getResult().getType()).getElementType();
    if (type.isF32())
      return x;
    auto narrow = RankedTensorType::get(tileType.getShape(), type, tileType.getEncoding());
    Value rounded = arith::TruncFOp::create(builder, loc, narrow, x);
    return arith::ExtFOp::create(builder, loc, tileType, rounded);
  }

  Value apply(Operation *op, ValueRange operands) {
    return llvm::TypeSwitch<Operation *, Value>(op)
        .Case<AddOp, AddPositionsOp>([&](auto) { return add(operands[0], operands[1]); })
        .Case<MulOp>([&](MulOp) { return mul(operands[0], operands[1]); })
        .Case<SiluOp>([&](SiluOp) { return silu(operands[0]); })
        .Case<ConvertOp>(
            [&](ConvertOp convert) { return isStoreConversion(*convert) ? operands[0] : round(operands[0], convert); })
        .Case<GeluOp>([&](GeluOp gelu) { return gelu.getTanh() ? geluTanh(operands[0]) : geluErf(operands[0]); })
        .Case<ReluOp>([&](ReluOp) { return relu(operands[0]); })
        .Case<TanhOp>([&](TanhOp) { return Value(math::TanhOp::create(builder, loc, operands[0])); })
        .Case<SwigluOp>([&](SwigluOp) { return mul(silu(operands[0]), operands[1]); })
        .Default([](Operation *) { return Value(); });
  }

private:
  Value constant(double value) {
    Attribute number = builder.getFloatAttr(tileType.getElementType(), value);
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(tileType, number));
  }

  Value above20(Value x) { return arith::MaxNumFOp::create(builder, loc, x, constant(-20)); }

  Location loc;
  OpBuilder builder;
  RankedTensorType tileType;
  Value m0, n0;
};

} // namespace

bool nstf::isStoreConversion(Operation &convert) {
  return llvm::all_of(convert.getUsers(), [](Operation *user) { return isa<ReturnOp, KvAppendOp>(user); });
}

/// As many columns as the output, and a number of rows that no parameter changes.
static MemRefType getTableType(Value table, MemRefType output) {
  auto type = cast<RankedTensorType>(table.getType());
  Attribute columns = cast<AxesAttr>(output.getMemorySpace()).getNames()[1];
  Builder builder(table.getContext());
  auto axes = AxesAttr::get(builder.getContext(), {builder.getI64IntegerAttr(type.getDimSize(0)), columns});
  return MemRefType::get({type.getDimSize(0), output.getDimSize(1)}, type.getElementType(), MemRefLayoutAttrInterface(),
                         axes);
}

bool nstf::readsPosition(ArrayRef<SlotOperand> operands) {
  return llvm::any_of(operands, [](SlotOperand operand) { return bool(operand.positions); });
}

SmallVector<SlotOperand> nstf::getSlotOperands(KernelOp region, Value tile, MemRefType output) {
  llvm::SetVector<Value> values;
  if (Value bias = getBias(region))
    values.insert(bias);
  SmallVector<SlotOperand> operands;
  for (Operation *op : getElementwiseOps(region))
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (cast<ElementwiseOp>(op).isByElement(i)) {
        if (isa<BlockArgument>(operand) && operand != tile)
          values.insert(operand);
      } else if (isa<BlockArgument>(operand)) {
        operands.push_back({operand, getTableType(operand, output), cast<AddPositionsOp>(op)});
      }
  for (Value value : values) {
    if (cast<RankedTensorType>(value.getType()).getRank() == 2) {
      Type element = cast<RankedTensorType>(value.getType()).getElementType();
      operands.push_back({value, MemRefType::Builder(output).setElementType(element), {}});
      continue;
    }
    auto axes = cast<AxesAttr>(output.getMemorySpace()).dropDim(0);
    Type element = cast<RankedTensorType>(value.getType()).getElementType();
    operands.push_back(
        {value, MemRefType::get(output.getShape().drop_front(), element, MemRefLayoutAttrInterface(), axes), {}});
  }
  return operands;
}

LogicalResult nstf::fillSlot(func::FuncOp slot, KernelOp region, Value tile, ArrayRef<SlotOperand> operands) {
  auto append = [&](Type type) {
    (void)slot.insertArgument(slot.getNumArguments(), type, {}, slot.getLoc());
    return slot.getArgument(slot.getNumArguments() - 1);
  };
  auto buffers =
      llvm::map_to_vector(operands, [&](const SlotOperand &operand) -> Value { return append(operand.type); });
  Value control;
  if (readsPosition(operands))
    control = append(MemRefType::get({16}, IntegerType::get(region.getContext(), 32)));

  DenseMap<Value, Value> values = {{tile, slot.getArgument(0)}};
  DenseMap<Operation *, Value> tables; // by the op that reads one
  SlotBuilder builder(slot);
  for (auto [operand, buffer] : llvm::zip_equal(operands, buffers)) {
    if (AddPositionsOp op = operand.positions) {
      builder.setLocation(op.getLoc());
      tables[op] = builder.loadPositions(buffer, control, op.getOffset());
      continue;
    }
    builder.setLocation((*operand.value.user_begin())->getLoc());
    values[operand.value] = operand.type.getRank() == 2 ? builder.loadMatrix(buffer) : builder.loadBias(buffer);
  }
  Value result = values[tile];
  if (Value bias = getBias(region)) {
    builder.setLocation(region.getBody().front().front().getLoc());
    result = builder.add(result, values[bias]);
    values[tile] = result;
  }
  for (Operation *op : getElementwiseOps(region)) {
    SmallVector<Value> inputs;
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      Value input = cast<ElementwiseOp>(op).isByElement(i) ? values.lookup(operand) : tables.lookup(op);
      if (!input)
        return op->emitOpError("expected operands that the slot of the kernel's template can see");
      inputs.push_back(input);
    }
    builder.setLocation(op->getLoc());
    result = builder.apply(op, inputs);
    if (!result)
      return op->emitOpError("expected an elementwise operation with a meaning on tiles");
    values[op->getResult(0)] = result;
  }
  slot.getBody().front().getTerminator()->setOperand(0, result);
  return success();
}
