#include "passes/analysis/KernelWork.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/analysis/Operands.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nstf::systolic;

int64_t KernelQuery::getParameter(KernelOp kernel, StringRef name) const {
  auto own = parameters.find(name.str());
  return own != parameters.end() ? own->second : kernel.getParam(name).value_or(0);
}

namespace {

/// What the analysis knows of a value without executing anything.
struct Known {
  std::optional<int64_t> number;
  bool byRow = false, byColumn = false; ///< depends on the work item's position in the grid
  int load = -1;                        ///< index of the load in its phase that the value stems from, or -1
};

class WorkCounter {
public:
  WorkCounter(KernelOp kernel, const KernelQuery &query) : kernel(kernel), query(query) {
    operand = query.operand;
    if (auto type = dyn_cast_or_null<TypeAttr>(kernel.getParams().get(operandParameterName)); type && !operand)
      operand = type.getValue();
  }

  KernelWork count() {
    countItems();
    work.phases.emplace_back();
    size_t axis = 0;
    for (BlockArgument argument : kernel.getArguments())
      if (isa<IndexType>(argument.getType())) {
        known[argument] = {0, axis == 0, axis != 0};
        ++axis;
      }
    visit(kernel.getBody().front());
    return std::move(work);
  }

private:
  PhaseWork &phase() { return work.phases[current]; }

  int64_t getSize(Attribute axis) {
    auto name = dyn_cast<StringAttr>(axis);
    if (!name)
      return cast<IntegerAttr>(axis).getInt();
    SmallVector<StringRef, 2> names;
    name.getValue().split(names, " * ");
    int64_t product = 1;
    for (StringRef one : names)
      product *= query.getParameter(kernel, one);
    return std::max<int64_t>(product, 1);
  }

  SmallVector<int64_t, 2> getShape(Type type) {
    auto tile = cast<RankedTensorType>(type);
    auto axes = dyn_cast_or_null<AxesAttr>(tile.getEncoding());
    return axes ? llvm::to_vector<2>(llvm::map_range(axes.getNames(), [&](Attribute axis) { return getSize(axis); }))
                : SmallVector<int64_t, 2>(tile.getShape());
  }

  int64_t countElements(Type type) { return llvm::product_of(getShape(type)); }

  Type resolve(Type element) {
    if (isa<AccumulatorType>(element))
      return operand ? getAccumulatorType(operand) : Type();
    return isa<OperandType>(element) ? operand : element;
  }

  double getBits(Type element) {
    Type type = resolve(element);
    return type && type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 32;
  }

  /// The bits of an element of the buffer in memory, and whether the element is a code.
  std::pair<double, bool> getBufferBits(Value buffer) {
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
    double own = getBits(element);
    auto argument = dyn_cast<BlockArgument>(buffer);
    if (argument && argument.getOwner()->getParentOp() != kernel)
      if (auto passed = buffers.find(buffer); passed != buffers.end())
        argument = passed->second;
    if (!argument || !kernel.getLaunch() || argument.getOwner()->getParentOp() != kernel)
      return {own, false};
    SmallVector<unsigned> launched = kernel.getLaunchedArguments();
    auto place = llvm::find(launched, argument.getArgNumber());
    if (place == launched.end())
      return {own, false};
    StringRef name = kernel.getLaunch()->getArguments()[place - launched.begin()].name.getValue();
    auto said = query.bits.find(name.str());
    return said == query.bits.end() ? std::pair(own, false) : std::pair(said->second, said->second < own);
  }

  void countItems() {
    ArrayAttr grid = kernel.getGrid();
    auto sizeOf = [&](Attribute entry) {
      auto name = dyn_cast<StringAttr>(entry);
      return std::max<int64_t>(name ? getSize(name) : cast<IntegerAttr>(entry).getInt(), 1);
    };
    for (size_t i = 0; i + 1 < grid.size(); i += 2)
      (i == 0 ? work.rows : work.columns) *= llvm::divideCeil(sizeOf(grid[i]), sizeOf(grid[i + 1]));
  }

  Known lookup(Value value) {
    if (auto constant = value.getDefiningOp<arith::ConstantOp>())
      if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
        return {number.getInt()};
    return known.lookup(value);
  }

  /// Merges what is known of several values, to decide where a value made of them comes from.
  Known combine(ValueRange values) {
    Known all;
    for (Value value : values) {
      Known one = lookup(value);
      all.byRow |= one.byRow;
      all.byColumn |= one.byColumn;
      all.load = all.load < 0 ? one.load : all.load;
    }
    return all;
  }

  void visit(Block &block) {
    for (Operation &op : block)
      visit(op);
  }

  void visit(Operation &op) {
    TypeSwitch<Operation *>(&op)
        .Case([&](scf::ForOp loop) { visitLoop(loop); })
        .Case([&](scf::IfOp choice) { visitChoice(choice); })
        .Case([&](func::CallOp call) { visitCall(call); })
        .Case([&](LoadOp load) { countLoad(load); })
        .Case([&](StoreOp store) { phase().storedBytes += countStored(store); })
        .Case([&](MmaOp product) { countProduct(product); })
        .Case([&](DotOp dot) { countDot(dot); })
        .Default([&](Operation *other) { countOther(other); });
  }

  /// The body of a loop is a phase; code after the loop counts to the phase before it.
  void visitLoop(scf::ForOp loop) {
    Known lower = lookup(loop.getLowerBound()), upper = lookup(loop.getUpperBound()), step = lookup(loop.getStep());
    int64_t rounds = 1;
    if (lower.number && upper.number && step.number.value_or(0) > 0)
      rounds = std::max<int64_t>(llvm::divideCeilSigned(*upper.number - *lower.number, *step.number), 0);
    Known variable = combine({loop.getLowerBound()});
    variable.number = lower.number;
    known[loop.getInductionVar()] = variable;
    for (auto [argument, init] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
      known[argument] = Known();
    size_t outer = current;
    work.phases.push_back({work.phases[outer].rounds * rounds});
    current = work.phases.size() - 1;
    visit(*loop.getBody());
    current = outer;
  }

  void visitChoice(scf::IfOp choice) {
    bool holds = lookup(choice.getCondition()).number.value_or(1) != 0;
    Region &region = holds ? choice.getThenRegion() : choice.getElseRegion();
    if (region.empty())
      return;
    visit(region.front());
    for (auto [result, value] : llvm::zip(choice.getResults(), region.front().getTerminator()->getOperands()))
      known[result] = lookup(value);
  }

  void visitCall(func::CallOp call) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(kernel, call.getCalleeAttr());
    if (!callee || callee.isExternal())
      return;
    for (auto [argument, value] : llvm::zip_equal(callee.getArguments(), call.getOperands())) {
      known[argument] = lookup(value);
      if (auto buffer = dyn_cast<BlockArgument>(value); buffer && isa<MemRefType>(value.getType())) {
        auto passed = buffers.find(value);
        buffers[argument] = passed == buffers.end() ? buffer : passed->second;
      }
    }
    Block &body = callee.getBody().front();
    visit(body);
    for (auto [result, value] : llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands()))
      known[result] = lookup(value);
  }

  void countLoad(LoadOp load) {
    Known where = combine(load->getOperands());
    LoadWork one;
    SmallVector<int64_t, 2> shape = getShape(load.getType());
    auto [bits, isCodes] = getBufferBits(load.getBuffer());
    one.elements = llvm::product_of(shape);
    one.bytes = one.elements * bits / 8;
    one.rowBytes = (load.getTransposed() ? shape.front() : shape.back()) * bits / 8;
    one.isOneRow = shape.size() == 1 || shape.front() == 1;
    one.byRow = where.byRow;
    one.byColumn = where.byColumn;
    one.isCodes = isCodes;
    Known result;
    result.load = phase().loads.size();
    known[load.getResult()] = result;
    phase().loads.push_back(one);
  }

  double countStored(StoreOp store) {
    return countElements(store.getTile().getType()) * getBufferBits(store.getBuffer()).first / 8;
  }

  void countProduct(MmaOp product) {
    SmallVector<int64_t, 2> a = getShape(product.getA().getType()), b = getShape(product.getB().getType());
    Type type = resolve(getTileType(product.getA()).getElementType());
    phase().products.push_back({a[0], b[1], a[1], type});
    for (Value operand : {product.getA(), product.getB()})
      if (int load = lookup(operand).load; load >= 0 && size_t(load) < phase().loads.size())
        phase().loads[load].isOperand = true;
  }

  void countDot(DotOp dot) {
    SmallVector<int64_t, 2> w = getShape(dot.getW().getType());
    phase().dotElements += w[0] * w[1];
    phase().dotColumns = w[1];
    phase().dotBytes = getBits(getTileType(dot.getX()).getElementType()) / 8;
  }

  /// Evaluates index arithmetic, and counts elementwise operations and reductions on tiles.
  void countOther(Operation *op) {
    Known all = combine(op->getOperands());
    all.number = evaluate(op);
    for (Value result : op->getResults())
      known[result] = all;
    if (op->getNumResults() == 0 || !isa<RankedTensorType>(op->getResultTypes().front()))
      return;
    bool isReduction = isa<ReduceOp, SumPartsOp>(op);
    if (!isReduction && !isElementwise(op))
      return;
    double elements = countElements(isReduction ? op->getOperandTypes().front() : op->getResultTypes().front());
    phase().vectorElements += elements;
    if (isa<math::ExpOp, math::Exp2Op, math::LogOp, math::SqrtOp, math::RsqrtOp, math::SinOp, math::CosOp, math::TanhOp,
            math::ErfOp, arith::DivFOp>(op))
      phase().transcendentals += elements;
  }

  std::optional<int64_t> evaluate(Operation *op) {
    if (auto parameter = dyn_cast<ParamOp>(op))
      return isa<IndexType>(parameter.getType()) ? std::optional(query.getParameter(kernel, parameter.getName()))
                                                 : std::nullopt;
    if (auto control = dyn_cast<ControlOp>(op))
      return evaluateControl(control.getField());
    SmallVector<int64_t, 3> numbers;
    for (Value operand : op->getOperands()) {
      std::optional<int64_t> number = lookup(operand).number;
      if (!number)
        return evaluateSelect(op);
      numbers.push_back(*number);
    }
    return TypeSwitch<Operation *, std::optional<int64_t>>(op)
        .Case([&](arith::AddIOp) { return numbers[0] + numbers[1]; })
        .Case([&](arith::SubIOp) { return numbers[0] - numbers[1]; })
        .Case([&](arith::MulIOp) { return numbers[0] * numbers[1]; })
        .Case<arith::DivUIOp, arith::DivSIOp>([&](Operation *) -> std::optional<int64_t> {
          return numbers[1] == 0 ? std::nullopt : std::optional(numbers[0] / numbers[1]);
        })
        .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>([&](Operation *) -> std::optional<int64_t> {
          return numbers[1] == 0 ? std::nullopt : std::optional(llvm::divideCeilSigned(numbers[0], numbers[1]));
        })
        .Case<arith::RemUIOp, arith::RemSIOp>([&](Operation *) -> std::optional<int64_t> {
          return numbers[1] == 0 ? std::nullopt : std::optional(numbers[0] % numbers[1]);
        })
        .Case<arith::MinUIOp, arith::MinSIOp>([&](Operation *) { return std::min(numbers[0], numbers[1]); })
        .Case<arith::MaxUIOp, arith::MaxSIOp>([&](Operation *) { return std::max(numbers[0], numbers[1]); })
        .Case([&](arith::AndIOp) { return numbers[0] & numbers[1]; })
        .Case([&](arith::OrIOp) { return numbers[0] | numbers[1]; })
        .Case<arith::IndexCastOp, arith::IndexCastUIOp>([&](Operation *) { return numbers[0]; })
        .Case([&](arith::SelectOp) { return numbers[0] ? numbers[1] : numbers[2]; })
        .Case([&](arith::CmpIOp compare) -> std::optional<int64_t> {
          unsigned width = compare.getLhs().getType().isInteger() ? 32 : 64;
          return arith::applyCmpPredicate(compare.getPredicate(), APInt(width, numbers[0], true, true),
                                          APInt(width, numbers[1], true, true));
        })
        .Default([](Operation *) { return std::nullopt; });
  }

  /// Evaluates a select whose condition is known, though one of its values may not be.
  std::optional<int64_t> evaluateSelect(Operation *op) {
    auto select = dyn_cast<arith::SelectOp>(op);
    std::optional<int64_t> condition = select ? lookup(select.getCondition()).number : std::nullopt;
    return condition ? lookup(*condition ? select.getTrueValue() : select.getFalseValue()).number : std::nullopt;
  }

  std::optional<int64_t> evaluateControl(ControlField field) {
    if (field == ControlField::position)
      return query.position;
    int64_t rows = query.getParameter(kernel, rowsParameterName);
    return field == ControlField::rows && rows ? rows : query.tokens;
  }

  static constexpr StringLiteral rowsParameterName = "ROWS";

  KernelOp kernel;
  const KernelQuery &query;
  Type operand;
  KernelWork work;
  size_t current = 0; ///< index of the current phase
  DenseMap<Value, Known> known;
  DenseMap<Value, BlockArgument> buffers; ///< for an argument of a called function, the kernel's argument passed to it
};

} // namespace

KernelWork nstf::systolic::countWork(KernelOp kernel, const KernelQuery &query) {
  return WorkCounter(kernel, query).count();
}
