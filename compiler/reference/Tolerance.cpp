// The allowed differences from the reference.

#include "compiler/reference/Tolerance.h"

#include "compiler/reference/Operations.h"
#include "compiler/reference/TensorCode.h"

#include <cassert>
#include <cmath>
#include <limits>

using namespace mlir;
using namespace nstf;
using namespace nstf::reference;

namespace {
struct Row {
  llvm::StringRef operation;
  Tolerance f32;
};
} // namespace

// u = 2⁻²⁴ = 6.0e-8 is the max relative error of one float32 rounding. The error of a sum over K random products is
// about u·√K/6 of the largest result (1.4e-6 at K = 16384). So the rows of sums have a margin for K, but none for
// 16-bit products.
static const Row rows[] = {
    {"embedding", {0, 0}},            // a copy
    {"last_row", {0, 0}},             // a copy
    {"first_row", {0, 0}},            // a copy
    {"kv_append", {0, 0}},            // a copy
    {"argmax", {0, 0}},               // an index
    {"add", {0, 1.2e-7}},             // 2 u
    {"mul", {0x1p-149, 1.2e-7}},      // 2 u; a product below all subnormals is 0
    {"convert", {0, 0}},              // the rounding to its type is added below
    {"dequantize", {0, 1.2e-7}},      // a product; the rounding to the products' operand type is added below
    {"dequantize_rows", {0, 1.2e-7}}, // the same
    {"quantize", {0, 0}},             // computed in f32 throughout, without a sum
    {"silu", {1e-7, 1e-6}},           // exp, reciprocal and product: up to 16 u
    {"swiglu", {1e-7, 1e-6}},         // the same
    {"relu", {0, 0}},                 // the number itself or 0
    {"tanh", {1e-7, 5e-7}},           // a rational function or exp: 3 units in the last place
    {"gelu", {2e-7, 1e-6}},           // erf or tanh, of |x| up to a few, and products
    {"rope", {1e-7, 5e-7}},           // two products with table entries rounded once, a sum: 4 u of the larger operand
    {"rms_norm", {1e-7, 1e-6}},       // a sum over K, a root, two products
    {"layer_norm", {1e-7, 2e-6}},     // two sums over K, a difference, a root, two products, a sum
    {"l2_normalize", {1e-12, 1e-6}},  // a sum over K, a root, a quotient
    {"mean_rows", {1e-7, 1e-6}},      // a sum over the rows
    {"add_positions", {0, 1.2e-7}},   // 2 u
    {"softmax", {1e-7, 2e-6}},        // exp of a difference, a sum over N, a quotient
    {"linear", {5e-7, 4e-6}},         // a sum over K
    {"attention", {1e-6, 8e-6}},      // two such sums around a softmax
};

/// The relative error of one rounding: half a unit in the last place of 11 or 8 bits.
static double roundingOf(Type type) { return type.isF16() ? 0x1p-11 : type.isBF16() ? 0x1p-8 : 0; }

std::optional<Tolerance> nstf::reference::operationTolerance(llvm::StringRef operation, Type rounded) {
  for (const Row &row : rows)
    if (row.operation == operation) {
      if (rounded.isInteger())
        return Tolerance{};
      bool rounds = llvm::is_contained({"convert", "dequantize", "dequantize_rows"}, operation);
      // Below the smallest normal number of f16 the error is absolute.
      double absolute = rounds && rounded.isF16() ? 0x1p-25 : 0;
      return Tolerance{row.f32.absolute + absolute, row.f32.relative + (rounds ? roundingOf(rounded) : 0)};
    }
  return std::nullopt;
}

static double getLargest(const Tensor &tensor) { return tensor.values.cwiseAbs().maxCoeff(); }

static void addTo(Tolerance &sum, Tolerance one) {
  sum.absolute += one.absolute;
  sum.relative += one.relative;
}

static std::optional<Tolerance> tableTolerance(Operation *op) {
  return operationTolerance(op->getName().stripDialect(), getElementTypeOrSelf(op->getResult(0).getType()));
}

/// Attention rounds its weights to its operands' type, to nearest, but divides by the sum of the unrounded ones. Each
/// weight is off by at most half a unit, so the average is off by at most that share of the largest value, which may be
/// much larger than the average.
static double weightRounding(AttentionOp op, llvm::function_ref<double(Value)> getLargest) {
  double rounding = roundingOf(getElementTypeOrSelf(op.getQ().getType()));
  return rounding ? rounding * getLargest(op.getV()) * (op.readsCodes() ? getLargest(op.getScales()[1]) : 1) : 0;
}

/// A product rounds the matrix that it decodes. With few results, each of them may be a sum of cancelling terms that is
/// smaller than the rounding of its terms. The error is at most that of all terms together, and rarely more than twice
/// the root of the sum of their squares.
static double termRounding(LinearOp op, llvm::ArrayRef<Tensor> arguments) {
  auto matrix = op.getW().getDefiningOp<DequantizeOp>();
  auto x = dyn_cast<BlockArgument>(op.getX());
  double rounding = roundingOf(getElementTypeOrSelf(op.getW().getType()));
  if (!matrix || !x || !rounding)
    return 0;
  Matrix rows = arguments[x.getArgNumber()].values.cwiseAbs();
  llvm::SmallVector<const Tensor *> planes;
  for (Value plane : matrix->getOperands())
    if (auto argument = dyn_cast<BlockArgument>(plane))
      planes.push_back(&arguments[argument.getArgNumber()]);
  if (planes.size() != matrix->getNumOperands() || rows.rows() * matrix.getType().getDimSize(0) > 64)
    return 0;
  Matrix w = evaluateOperation(matrix, planes, {}).front().values.cwiseAbs(), terms = rows * w.transpose();
  Matrix squares = rows.cwiseAbs2() * w.cwiseAbs2().transpose();
  return rounding * terms.cwiseMin(2 * squares.cwiseSqrt()).maxCoeff();
}

std::optional<Tolerance> nstf::reference::kernelTolerance(const KernelOp::Part &part,
                                                          llvm::ArrayRef<Tensor> arguments) {
  Tolerance sum;
  for (Operation *op : part.ops) {
    if (isTensorOperation(op)) {
      addTo(sum, tensorTolerance(op));
      continue;
    }
    auto one = tableTolerance(op);
    if (!one)
      return std::nullopt;
    addTo(sum, *one);
    if (auto attention = dyn_cast<AttentionOp>(op); attention && isa<BlockArgument>(attention.getV()))
      sum.absolute += weightRounding(attention, [&](Value operand) {
        auto argument = dyn_cast<BlockArgument>(operand);
        return argument ? getLargest(arguments[argument.getArgNumber()]) : 1;
      });
    if (auto linear = dyn_cast<LinearOp>(op))
      sum.absolute += termRounding(linear, arguments);
  }
  return sum;
}

Tolerance nstf::reference::operationTolerance(Operation *op, llvm::ArrayRef<const Tensor *> operands) {
  if (isTensorOperation(op))
    return tensorTolerance(op);
  if (isa<DecodeOp>(op))
    return {};
  auto sum = tableTolerance(op);
  assert(sum && "every operation has a row");
  if (auto linear = dyn_cast<LinearOp>(op); linear && !linear.getX().getDefiningOp<DequantizeRowsOp>())
    if (Operation *decode = linear.getW().getDefiningOp<DecodeOp>())
      addTo(*sum, *tableTolerance(decode));
  if (auto attention = dyn_cast<AttentionOp>(op))
    sum->absolute += weightRounding(attention, [&](Value operand) {
      return getLargest(*operands[llvm::find(op->getOperands(), operand) - op->operand_begin()]);
    });
  return *sum;
}

// f32: the tokens equal the reference's, and the logits are within 1e-4 of stories260K's, whose largest is about 20;
// its own float32 run is 1.3e-5 away. 16-bit types: a few units in the last place per layer. With codes, the rounding
// of 16-bit types moves some numbers across the midpoint between two codes. These are off by a whole step: 2⁻⁷ of a
// row's largest number for i8, 2⁻³ of the number itself for e4m3fnuz. The rounding of f32 moves few numbers.
Tolerance nstf::reference::modelTolerance(Type precision, Type codes) {
  if (precision.isInteger())
    return {};
  if (codes && !precision.isF32())
    return {1e-2, codes.isInteger() ? 0x1p-3 : 0x1p-2}; // some steps, of rows and of caches
  if (codes)
    return {1e-3, codes.isInteger() ? 0x1p-6 : 0x1p-4};
  if (precision.isF16())
    return {1e-3, 0x1p-6};
  if (precision.isBF16())
    return {1e-2, 0x1p-4};
  return {2e-5, 4e-6};
}

static double getError(double got, double want) {
  double error = std::abs(got - want);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

Comparison nstf::reference::compare(llvm::ArrayRef<float> got, const Tensor &want, Tolerance tolerance) {
  assert(static_cast<int64_t>(got.size()) == want.size());
  Comparison result;
  for (int64_t i = 0; i < want.size(); ++i) {
    result.largestWant = std::max(result.largestWant, std::abs(want.data()[i]));
    double error = getError(got[i], want.data()[i]);
    if (error > result.largestError || result.where < 0) {
      result.largestError = error;
      result.where = i;
    }
  }
  result.allowed = tolerance.absolute + tolerance.relative * result.largestWant;
  return result;
}

Comparison nstf::reference::compareRows(const Tensor &got, const Tensor &want, const Eigen::VectorXd &allowed) {
  assert(got.size() == want.size() && allowed.size() == want.values.rows());
  Comparison result;
  double largestShare = -1;
  for (int64_t i = 0; i < want.size(); ++i) {
    result.largestWant = std::max(result.largestWant, std::abs(want.data()[i]));
    double error = getError(got.data()[i], want.data()[i]), bound = allowed(i / want.values.cols());
    double share = error == 0 ? 0 : error / bound;
    if (std::isnan(share))
      share = std::numeric_limits<double>::infinity();
    if (share > largestShare) {
      largestShare = share;
      result.largestError = error;
      result.where = i;
      result.allowed = bound;
    }
  }
  return result;
}

/// The distance from a code to the next one away from 0.
static double stepOf(double code, Type type) {
  return type.isInteger() || code == 0 ? (type.isInteger() ? 1 : 0x1p-10)
                                       : std::ldexp(1, std::max(std::ilogb(code), -7) - 3);
}

Comparison nstf::reference::compareCodes(llvm::ArrayRef<float> got, const Tensor &want, Type type) {
  Comparison result = compare(got, want, {});
  int64_t different = 0;
  for (int64_t i = 0; i < want.size(); ++i) {
    double expected = want.data()[i], error = std::abs(double(got[i]) - expected);
    if (error == 0)
      continue;
    ++different;
    // Also true for NaN.
    if (!(error <= std::max(stepOf(expected, type), stepOf(got[i], type))))
      return result;
  }
  // A norm in f32 is off by a few 2⁻²⁴ of a number, which is 2⁻¹⁶ of a step of i8.
  if (different <= 1 + want.size() / 1000)
    result.allowed = result.largestError;
  return result;
}
