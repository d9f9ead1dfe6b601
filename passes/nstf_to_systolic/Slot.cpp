// Fills a template's slot @epilogue (Slot.h).
#include "passes/nstf_to_systolic/Slot.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/nstf_to_systolic/CodeProduct.h"
#include "passes/nstf_to_systolic/ProductPair.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nstf;
using systolic::AxesAttr;

namespace {

Value getBias(KernelOp region) {
  auto anchor = dyn_cast<EpilogueOp>(region.getAnchor());
  return anchor ? anchor.getEpilogueBias() : Value();
}

class SlotBuilder {
public:
  SlotBuilder(func::FuncOp slot) : loc(slot.getLoc()), builder(slot.getContext()) {
    builder.setInsertionPoint(slot.getBody().front().getTerminator());
    tileType = cast<RankedTensorType>(slot.getResultTypes()[0]);
    m0 = slot.getArgument(1);
    n0 = slot.getArgument(2);
  }

  /// Ops created from now on get the location of a line of the model instead of the template's.
  void setLocation(Location location) { loc = location; }

  Value loadMatrix(Value buffer) {
    return systolic::LoadOp::create(builder, loc, tileType, buffer, ValueRange{m0, n0}, ValueRange(), Value(), Value());
  }

  /// Loads the table's rows of the tile's positions; position 0 is at row `offset`.
  Value loadPositions(Value table, Value control, int64_t offset) {
    Value position = systolic::ControlOp::create(builder, loc, control, systolic::ControlField::position);
    Value first = arith::AddIOp::create(builder, loc, m0, position);
    Value start = arith::ConstantIndexOp::create(builder, loc, offset);
    Value row = arith::AddIOp::create(builder, loc, first, start);
    return systolic::LoadOp::create(builder, loc, tileType, table, ValueRange{row, n0}, ValueRange(), Value(), Value());
  }

  /// Loads one number for each column of the tile if `along` is 1, else one for each row, and broadcasts them.
  Value loadVector(Value buffer, unsigned along) {
    auto axes = cast<AxesAttr>(tileType.getEncoding()).dropDim(1 - along);
    auto type = RankedTensorType::get(tileType.getDimSize(along), tileType.getElementType(), axes);
    Value vector = systolic::LoadOp::create(builder, loc, type, buffer, ValueRange{along ? n0 : m0}, ValueRange(),
                                            Value(), Value());
    return systolic::BroadcastOp::create(builder, loc, tileType, vector, 1 - along);
  }

  /// Converts sums to f32.
  Value toFloats(Value sums) {
    return sums.getType() == tileType ? sums : arith::SIToFPOp::create(builder, loc, tileType, sums).getResult();
  }

  Value multiply(Value left, Value right) { return arith::MulFOp::create(builder, loc, left, right); }

  Value add(Value left, Value right) { return arith::AddFOp::create(builder, loc, left, right); }

  Value apply(ElementwiseOp op, ValueRange operands) {
    return isStoreConversion(*op) ? operands[0] : op.computeOnTile(builder, loc, operands);
  }

private:
  Location loc;
  OpBuilder builder;
  RankedTensorType tileType;
  Value m0, n0;
};

} // namespace

bool nstf::isStoreConversion(Operation &op) {
  return isa<ConvertOp>(op) &&
         llvm::all_of(op.getUsers(), [](Operation *user) { return isa<ReturnOp, KvAppendOp>(user); });
}

/// The type of a table: as many columns as the output, and a number of rows that no parameter changes.
static MemRefType getTableType(Value table, MemRefType output) {
  auto type = cast<RankedTensorType>(table.getType());
  Attribute columns = cast<AxesAttr>(output.getMemorySpace()).getNames()[1];
  Builder builder(table.getContext());
  auto axes = AxesAttr::get(builder.getContext(), {builder.getI64IntegerAttr(type.getDimSize(0)), columns});
  return MemRefType::get({type.getDimSize(0), output.getDimSize(1)}, type.getElementType(), MemRefLayoutAttrInterface(),
                         axes);
}

bool nstf::readsPosition(ArrayRef<SlotOperand> operands) {
  return llvm::any_of(operands, [](SlotOperand operand) { return bool(operand.reader); });
}

SmallVector<SlotOperand> nstf::getSlotOperands(KernelOp region, Value tile, MemRefType output) {
  llvm::SetVector<Value> values;
  auto getVectorType = [&](Value value, unsigned along) {
    auto axes = cast<AxesAttr>(output.getMemorySpace()).dropDim(1 - along);
    return MemRefType::get(output.getDimSize(along), getElementTypeOrSelf(value.getType()), MemRefLayoutAttrInterface(),
                           axes);
  };
  if (Value bias = getBias(region))
    values.insert(bias);
  SmallVector<SlotOperand> operands;
  if (std::optional<CodeProduct> codes = findCodeProduct(region.getAnchor()))
    for (auto [value, along] : {std::pair(codes->rowScales, 0u), std::pair(codes->columnScales, 1u)})
      operands.push_back({value, getVectorType(value, along), {}, along, /*isScale=*/true});
  for (auto op : region.getBody().getOps<ElementwiseOp>())
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (op.isByElement(i)) {
        if (isa<BlockArgument>(operand) && operand != tile)
          values.insert(operand);
      } else if (isa<BlockArgument>(operand)) {
        operands.push_back({operand, getTableType(operand, output), op});
      }
  for (Value value : values) {
    if (cast<RankedTensorType>(value.getType()).getRank() == 2)
      operands.push_back({value, MemRefType::Builder(output).setElementType(getElementTypeOrSelf(value.getType()))});
    else
      operands.push_back({value, getVectorType(value, 1)});
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
    control = append(systolic::ControlType::get(region.getContext()));

  DenseMap<Value, Value> values;
  DenseMap<Operation *, Value> tables; // by the op that reads the table
  SlotBuilder builder(slot);
  builder.setLocation(region.getAnchor()->getLoc());
  values[tile] = builder.toFloats(slot.getArgument(0));
  if (LinearOp second = findSecondProduct(region.getAnchor()))
    values[second.getResult()] = builder.toFloats(slot.getArgument(3));
  for (auto [operand, buffer] : llvm::zip_equal(operands, buffers)) {
    if (ElementwiseOp op = operand.reader) {
      builder.setLocation(op.getLoc());
      tables[op] = builder.loadPositions(buffer, control, op.getTableOffset());
      continue;
    }
    builder.setLocation((*operand.value.user_begin())->getLoc());
    Value loaded = operand.type.getRank() == 2 ? builder.loadMatrix(buffer) : builder.loadVector(buffer, operand.along);
    if (operand.isScale)
      values[tile] = builder.multiply(values[tile], loaded);
    else
      values[operand.value] = loaded;
  }
  Value result = values[tile];
  if (Value bias = getBias(region)) {
    builder.setLocation(region.getAnchor()->getLoc());
    result = builder.add(result, values[bias]);
    values[tile] = result;
  }
  for (auto op : region.getBody().getOps<ElementwiseOp>()) {
    SmallVector<Value> inputs;
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      Value input = op.isByElement(i) ? values.lookup(operand) : tables.lookup(op);
      if (!input)
        return op.emitOpError("expected operands that the slot of the kernel's template can see");
      inputs.push_back(input);
    }
    builder.setLocation(op->getLoc());
    result = builder.apply(op, inputs);
    values[op->getResult(0)] = result;
  }
  slot.getBody().front().getTerminator()->setOperand(0, result);
  return success();
}
