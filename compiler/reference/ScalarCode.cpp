// Evaluates the bodies of tensor operations.

#include "compiler/reference/ScalarCode.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/bit.h"

#include <cmath>
#include <stdexcept>

using namespace mlir;
using namespace nstf;
using namespace nstf::reference;
using Meaning = std::function<double(const double *)>;

// Numbers

/// The value as a signed number of the type's width; an index has 64 bits, an i1 is 0 or -1.
static int64_t toSigned(double value, Type type) {
  auto number = static_cast<int64_t>(value);
  if (type.isInteger(1))
    return number & 1 ? -1 : 0;
  return type.isInteger(32) ? static_cast<int32_t>(number) : number;
}

static uint64_t toUnsigned(double value, Type type) {
  auto number = static_cast<int64_t>(value);
  if (type.isInteger(1))
    return number & 1;
  return type.isInteger(32) ? static_cast<uint32_t>(number) : static_cast<uint64_t>(number);
}

/// The stored form of an integer: 0 or 1 for an i1, else a signed number.
static double fromInteger(int64_t number, Type type) {
  return type.isInteger(1) ? double(number & 1) : double(toSigned(double(static_cast<int32_t>(number)), type));
}

static double fromIndex(int64_t number, Type type) {
  return type.isIndex() ? double(number) : fromInteger(number, type);
}

double nstf::reference::toType(double value, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type)) {
    if (type.isF64())
      return value;
    bool losesInfo;
    llvm::APFloat number(value);
    number.convert(floatType.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return number.convertToDouble();
  }
  return fromIndex(static_cast<int64_t>(value), type);
}

static double constantOf(Attribute attribute) {
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValueAsDouble();
  auto number = cast<IntegerAttr>(attribute);
  return number.getType().isInteger(1) ? double(!number.getValue().isZero()) : double(number.getInt());
}

// Operations

static bool compare(arith::CmpIPredicate predicate, double a, double b, Type type) {
  int64_t x = toSigned(a, type), y = toSigned(b, type);
  uint64_t ux = toUnsigned(a, type), uy = toUnsigned(b, type);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return x == y;
  case arith::CmpIPredicate::ne:
    return x != y;
  case arith::CmpIPredicate::slt:
    return x < y;
  case arith::CmpIPredicate::sle:
    return x <= y;
  case arith::CmpIPredicate::sgt:
    return x > y;
  case arith::CmpIPredicate::sge:
    return x >= y;
  case arith::CmpIPredicate::ult:
    return ux < uy;
  case arith::CmpIPredicate::ule:
    return ux <= uy;
  case arith::CmpIPredicate::ugt:
    return ux > uy;
  case arith::CmpIPredicate::uge:
    return ux >= uy;
  }
  llvm_unreachable("all predicates are listed");
}

static bool compare(arith::CmpFPredicate predicate, double a, double b) {
  bool isUnordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse:
    return false;
  case arith::CmpFPredicate::OEQ:
    return a == b;
  case arith::CmpFPredicate::OGT:
    return a > b;
  case arith::CmpFPredicate::OGE:
    return a >= b;
  case arith::CmpFPredicate::OLT:
    return a < b;
  case arith::CmpFPredicate::OLE:
    return a <= b;
  case arith::CmpFPredicate::ONE:
    return !isUnordered && a != b;
  case arith::CmpFPredicate::ORD:
    return !isUnordered;
  case arith::CmpFPredicate::UEQ:
    return isUnordered || a == b;
  case arith::CmpFPredicate::UGT:
    return isUnordered || a > b;
  case arith::CmpFPredicate::UGE:
    return isUnordered || a >= b;
  case arith::CmpFPredicate::ULT:
    return isUnordered || a < b;
  case arith::CmpFPredicate::ULE:
    return isUnordered || a <= b;
  case arith::CmpFPredicate::UNE:
    return a != b;
  case arith::CmpFPredicate::UNO:
    return isUnordered;
  case arith::CmpFPredicate::AlwaysTrue:
    return true;
  }
  llvm_unreachable("all predicates are listed");
}

static double maximum(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::fmax(a, b); }
static double minimum(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::fmin(a, b); }

using Unary = double (*)(double);
using Binary = double (*)(double, double);
static Meaning unary(Unary function) {
  return [=](const double *in) { return function(in[0]); };
}
static Meaning binary(Binary function) {
  return [=](const double *in) { return function(in[0], in[1]); };
}

static Meaning floatMeaning(Operation *op) {
  static const std::map<StringRef, Meaning> table = {
      {"arith.addf", binary([](double a, double b) { return a + b; })},
      {"arith.subf", binary([](double a, double b) { return a - b; })},
      {"arith.mulf", binary([](double a, double b) { return a * b; })},
      {"arith.divf", binary([](double a, double b) { return a / b; })},
      {"arith.negf", unary([](double a) { return -a; })},
      {"arith.maximumf", binary(maximum)},
      {"arith.minimumf", binary(minimum)},
      {"arith.maxnumf", binary([](double a, double b) { return std::fmax(a, b); })},
      {"arith.minnumf", binary([](double a, double b) { return std::fmin(a, b); })},
      {"arith.extf", unary([](double a) { return a; })},
      {"arith.truncf", unary([](double a) { return a; })},
      {"math.absf", unary([](double a) { return std::fabs(a); })},
      {"math.ceil", unary([](double a) { return std::ceil(a); })},
      {"math.copysign", binary([](double a, double b) { return std::copysign(a, b); })},
      {"math.cos", unary([](double a) { return std::cos(a); })},
      {"math.erf", unary([](double a) { return std::erf(a); })},
      {"math.exp", unary([](double a) { return std::exp(a); })},
      {"math.exp2", unary([](double a) { return std::exp2(a); })},
      {"math.floor", unary([](double a) { return std::floor(a); })},
      {"math.fma", [](const double *in) { return in[0] * in[1] + in[2]; }},
      {"math.log", unary([](double a) { return std::log(a); })},
      {"math.log2", unary([](double a) { return std::log2(a); })},
      {"math.log10", unary([](double a) { return std::log10(a); })},
      {"math.powf", binary([](double a, double b) { return std::pow(a, b); })},
      {"math.round", unary([](double a) { return std::round(a); })},
      {"math.roundeven", unary([](double a) { return std::nearbyint(a); })},
      {"math.rsqrt", unary([](double a) { return 1 / std::sqrt(a); })},
      {"math.sin", unary([](double a) { return std::sin(a); })},
      {"math.sqrt", unary([](double a) { return std::sqrt(a); })},
      {"math.tanh", unary([](double a) { return std::tanh(a); })},
      {"math.trunc", unary([](double a) { return std::trunc(a); })},
  };
  auto found = table.find(op->getName().getStringRef());
  if (found == table.end())
    return {};
  Type type = op->getResult(0).getType();
  if (type.isF32()) // float64 represents f32; the tolerance covers the rounding
    return found->second;
  return [=, meaning = found->second](const double *in) { return toType(meaning(in), type); };
}

/// The meaning of integer operations, of the first operand's type.
static Meaning integerMeaning(Operation *op) {
  using Signed = int64_t (*)(int64_t, int64_t);
  using Unsigned = uint64_t (*)(uint64_t, uint64_t);
  static const std::map<StringRef, Signed> onSigned = {
      // Sums wrap: they are computed as unsigned numbers, for which C++ defines overflow.
      {"arith.addi", [](int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }},
      {"arith.subi", [](int64_t a, int64_t b) { return int64_t(uint64_t(a) - uint64_t(b)); }},
      {"arith.muli", [](int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }},
      {"arith.divsi", [](int64_t a, int64_t b) { return b ? a / b : 0; }},
      {"arith.remsi", [](int64_t a, int64_t b) { return b ? a % b : 0; }},
      {"arith.andi", [](int64_t a, int64_t b) { return a & b; }},
      {"arith.ori", [](int64_t a, int64_t b) { return a | b; }},
      {"arith.xori", [](int64_t a, int64_t b) { return a ^ b; }},
      {"arith.shrsi", [](int64_t a, int64_t b) { return b < 0 || b > 63 ? 0 : a >> b; }},
      {"arith.maxsi", [](int64_t a, int64_t b) { return std::max(a, b); }},
      {"arith.minsi", [](int64_t a, int64_t b) { return std::min(a, b); }}};
  static const std::map<StringRef, Unsigned> onUnsigned = {
      {"arith.divui", [](uint64_t a, uint64_t b) { return b ? a / b : 0; }},
      {"arith.remui", [](uint64_t a, uint64_t b) { return b ? a % b : 0; }},
      {"arith.shli", [](uint64_t a, uint64_t b) { return b > 63 ? 0 : a << b; }},
      {"arith.shrui", [](uint64_t a, uint64_t b) { return b > 63 ? 0 : a >> b; }},
      {"arith.maxui", [](uint64_t a, uint64_t b) { return std::max(a, b); }},
      {"arith.minui", [](uint64_t a, uint64_t b) { return std::min(a, b); }}};
  Type type = op->getNumOperands() ? op->getOperand(0).getType() : Type();
  StringRef name = op->getName().getStringRef();
  if (auto found = onSigned.find(name); found != onSigned.end())
    return [=, function = found->second](const double *in) {
      return fromIndex(function(toSigned(in[0], type), toSigned(in[1], type)), type);
    };
  if (auto found = onUnsigned.find(name); found != onUnsigned.end())
    return [=, function = found->second](const double *in) {
      return fromIndex(int64_t(function(toUnsigned(in[0], type), toUnsigned(in[1], type))), type);
    };
  if (name == "math.absi")
    return [=](const double *in) { return fromIndex(std::abs(toSigned(in[0], type)), type); };
  return {};
}

/// Conversions between kinds of numbers, comparisons and selects.
static Meaning mixedMeaning(Operation *op) {
  if (auto compareIntegers = dyn_cast<arith::CmpIOp>(op))
    return [predicate = compareIntegers.getPredicate(), type = op->getOperand(0).getType()](const double *in) {
      return double(compare(predicate, in[0], in[1], type));
    };
  if (auto compareFloats = dyn_cast<arith::CmpFOp>(op))
    return [predicate = compareFloats.getPredicate()](const double *in) {
      return double(compare(predicate, in[0], in[1]));
    };
  if (isa<arith::SelectOp>(op))
    return [](const double *in) { return in[0] != 0 ? in[1] : in[2]; };
  if (isa<math::IsNaNOp>(op))
    return [](const double *in) { return double(std::isnan(in[0])); };
  if (isa<math::IsInfOp>(op))
    return [](const double *in) { return double(std::isinf(in[0])); };
  if (isa<math::IsFiniteOp>(op))
    return [](const double *in) { return double(std::isfinite(in[0])); };
  if (op->getNumOperands() != 1)
    return {};
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(op))
    return [=](const double *in) { return fromIndex(toSigned(in[0], from), to); };
  if (isa<arith::IndexCastUIOp, arith::ExtUIOp>(op))
    return [=](const double *in) { return fromIndex(int64_t(toUnsigned(in[0], from)), to); };
  if (isa<arith::SIToFPOp>(op))
    return [=](const double *in) { return toType(double(toSigned(in[0], from)), to); };
  if (isa<arith::UIToFPOp>(op))
    return [=](const double *in) { return toType(double(toUnsigned(in[0], from)), to); };
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return [=](const double *in) { return fromIndex(static_cast<int64_t>(std::trunc(in[0])), to); };
  if (isa<arith::BitcastOp>(op) && from.isF32() && to.isInteger(32))
    return [](const double *in) { return double(llvm::bit_cast<int32_t>(float(in[0]))); };
  if (isa<arith::BitcastOp>(op) && from.isInteger(32) && to.isF32())
    return [](const double *in) { return double(llvm::bit_cast<float>(int32_t(in[0]))); };
  return {};
}

Meaning nstf::reference::getMeaning(Operation *op) {
  if (op->getNumResults() == 1) {
    if (Meaning meaning = mixedMeaning(op))
      return meaning;
    if (Meaning meaning = floatMeaning(op))
      return meaning;
    if (Meaning meaning = integerMeaning(op))
      return meaning;
  }
  throw std::runtime_error("the reference has no meaning for '" + op->getName().getStringRef().str() + "'");
}

double nstf::reference::elementAt(const Tensor &tensor, llvm::ArrayRef<int64_t> index) {
  int64_t linear = 0;
  for (auto [at, size] : llvm::zip_equal(index, tensor.shape)) {
    if (at < 0 || at >= size)
      return 0;
    linear = linear * size + at;
  }
  return tensor.data()[linear];
}

// Blocks

ScalarBlock::ScalarBlock(Block &block, TensorLookup lookup, StepScalars step)
    : lookup(lookup), step(step), block(block) {
  for (BlockArgument argument : block.getArguments())
    getSlot(argument);
  for (Operation &op : block.without_terminator())
    prepare(op);
  for (Value result : block.getTerminator()->getOperands())
    resultSlots.push_back(getSlot(result));
  results.resize(resultSlots.size());
}

/// The slot of a value; a value from outside of the block is read once.
size_t ScalarBlock::getSlot(Value value) {
  auto [slot, isNew] = slots.insert({value, values.size()});
  if (isNew)
    values.push_back(value.getParentBlock() == &block ? 0 : lookup(value).data()[0]);
  return slot->second;
}

void ScalarBlock::prepare(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    values[getSlot(constant)] = constantOf(constant.getValue());
    return;
  }
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    loopSlots.push_back({getSlot(index), unsigned(index.getDim())});
    return;
  }
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    const Tensor &source = lookup(dim.getSource());
    values[getSlot(dim)] = double(source.shape.at(dim.getConstantIndex().value()));
    return;
  }
  Instruction instruction;
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    for (Value index : extract.getIndices())
      instruction.operands.push_back(getSlot(index));
    instruction.function = [&source = lookup(extract.getTensor())](const double *in) {
      llvm::SmallVector<int64_t> index(in, in + source.shape.size());
      return elementAt(source, index);
    };
  } else if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    for (Value operand : op.getOperands())
      instruction.operands.push_back(getSlot(operand));
    instruction.function = [map = apply.getAffineMap()](const double *in) {
      llvm::SmallVector<int64_t> operands(in, in + map.getNumInputs());
      llvm::SmallVector<Attribute> constants;
      Builder builder(map.getContext());
      for (int64_t operand : operands)
        constants.push_back(builder.getIndexAttr(operand));
      llvm::SmallVector<Attribute> folded;
      if (failed(map.constantFold(constants, folded)))
        throw std::runtime_error("the reference has no meaning for this affine.apply");
      return double(cast<IntegerAttr>(folded.front()).getInt());
    };
  } else {
    for (Value operand : op.getOperands())
      instruction.operands.push_back(getSlot(operand));
    instruction.function = getMeaning(&op);
  }
  instruction.result = getSlot(op.getResult(0));
  instructions.push_back(std::move(instruction));
}

const std::vector<double> &ScalarBlock::run(const std::vector<double> &arguments, llvm::ArrayRef<int64_t> loops) {
  std::copy(arguments.begin(), arguments.end(), values.begin());
  for (auto [slot, loop] : loopSlots)
    values[slot] = double(loops[loop]);
  for (const Instruction &instruction : instructions) {
    inputs.clear();
    for (size_t operand : instruction.operands)
      inputs.push_back(values[operand]);
    values[instruction.result] = instruction.function(inputs.data());
  }
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = values[resultSlots[i]];
  return results;
}
