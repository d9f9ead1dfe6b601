// A second run beside the exact one, with errors wherever a package may have them (Twin.h).

#include "compiler/reference/Twin.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace mlir;
using namespace nstf;
using namespace nstf::reference;

RowBounds TwinValue::getBounds() const {
  if (bounds)
    return *bounds;
  if (exact == off)
    return RowBounds::Zero(exact->values.rows());
  return (off->values - exact->values).cwiseAbs().rowwise().maxCoeff();
}

static std::vector<const Tensor *> getExact(ArrayRef<TwinValue> values) {
  std::vector<const Tensor *> tensors;
  for (const TwinValue &value : values)
    tensors.push_back(value.exact.get());
  return tensors;
}

bool Twin::isShared(Operation *op, ArrayRef<TwinValue> operands) {
  if (op->getNumRegions() ||
      !llvm::all_of(operands, [](const TwinValue &operand) { return operand.exact == operand.off; }))
    return false;
  Tolerance tolerance = operationTolerance(op, getExact(operands));
  return tolerance.absolute == 0 && tolerance.relative == 0;
}

/// The errors of each row are relative to the row's largest number, since rows are independent.
static Matrix getErrors(const Tensor &result, Tolerance tolerance) {
  RowBounds sizes = tolerance.absolute + tolerance.relative * result.values.cwiseAbs().rowwise().maxCoeff().array();
  return sizes.replicate(1, result.values.cols());
}

/// The error of a sum is at most the sum of its terms' errors, and rarely more than twice the root of their squares.
template <typename Terms> static double getSumError(const Eigen::MatrixBase<Terms> &factors, double error) {
  return error * std::min(factors.template lpNorm<1>(), 2 * factors.norm());
}

static double logSumExp(const Eigen::ArrayXd &x) { return x.maxCoeff() + std::log((x - x.maxCoeff()).exp().sum()); }

/// The error of attention due to the errors of q, k and v. With large logits these may change which of two keys
/// dominates, which a single twin's random errors would rarely hit. So the bound covers all weights that logits within
/// their errors can have.
static Matrix getAttentionErrors(AttentionOp op, ArrayRef<TwinValue> operands, const Tensor &result, StepScalars step) {
  auto getNumbers = [&](unsigned cache) -> Matrix {
    const Matrix &values = operands[cache].exact->values;
    return op.readsCodes() ? decodeRows(values, operands[cache + 2].exact->values) : values;
  };
  const Matrix &q = operands[0].exact->values;
  Matrix k = getNumbers(1), v = getNumbers(2), errors(q.rows(), q.cols());
  RowBounds ofQ = operands[0].getBounds(), ofK = operands[1].getBounds(), ofV = operands[2].getBounds();
  int64_t group = op.getHeads() / op.getKvHeads(), size = op.getHeadSize();
  double scale = std::abs(op.getScale().convertToDouble());
  visitLogits(op, q, k, step, [&](int64_t row, int64_t head, int64_t first, Eigen::RowVectorXd &logits) {
    auto ofRow = q.row(row).segment(head * size, size);
    Eigen::ArrayXd logWeights = logits.array() - logSumExp(logits.array()), off(logits.size());
    for (int64_t i = 0; i < off.size(); ++i)
      off(i) = scale * (getSumError(k.row(first + i).segment(head / group * size, size), ofQ(row)) +
                        getSumError(ofRow, ofK(first + i)));
    Eigen::ArrayXd weights = logWeights.exp();
    Eigen::ArrayXd most = (logWeights + off - logSumExp(logWeights - off)).exp().min(1);
    Eigen::ArrayXd least = (logWeights - off - logSumExp(logWeights + off)).exp();
    auto values = v.block(first, head / group * size, off.size(), size);
    auto mean = result.values.row(row).segment(head * size, size);
    auto distances = (values.rowwise() - mean).cwiseAbs();
    auto bounds = ofV.segment(first, off.size());
    errors.row(row).segment(head * size, size) = (most - weights).max(weights - least).matrix().transpose() * distances;
    errors.row(row).segment(head * size, size).array() += std::min(most.matrix().dot(bounds), bounds.maxCoeff());
  });
  return errors;
}

void Twin::disturb(Tensor &result, const Matrix &errors) {
  if (!errors.isZero(0))
    result.values += errors.unaryExpr([&](double error) { return random() & 1 ? error : -error; });
}

void Twin::finish(Operation *op, ArrayRef<TwinValue> operands, MutableArrayRef<TwinValue> results, StepOp launch,
                  StepScalars step) {
  Tolerance tolerance = operationTolerance(op, getExact(operands));
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    results[0].off->values = results[0].exact->values;
    disturb(*results[0].off, getAttentionErrors(attention, operands, *results[0].exact, step));
  }
  for (TwinValue &result : results)
    disturb(*result.off, getErrors(*result.off, tolerance));
  if (auto quantize = dyn_cast<QuantizeOp>(op)) {
    RowBounds bounds = operands[0].getBounds();
    if (launch)
      choose(quantize, bounds, *operands[0].exact, results, launch, step);
    results[0].bounds = std::make_shared<RowBounds>(bounds);
    results[1].bounds = std::make_shared<RowBounds>(bounds / quantize.getMaxCode());
  } else if (isa<KvAppendOp>(op)) {
    const TwinValue &rows = operands[0], &cache = operands[1];
    bool inPlace = cache.exact == results[0].exact && cache.bounds;
    results[0].bounds = inPlace ? cache.bounds : std::make_shared<RowBounds>(cache.getBounds());
    results[0].bounds->segment(step.position, step.tokens) = rows.getBounds();
  }
}

namespace {
/// Where a kernel's rows are stored: the index of its result, and the first row there.
struct Stored {
  unsigned result;
  int64_t first = 0;
  bool inCache = false;
};
} // namespace

static std::optional<Stored> findStored(Value rows, StepScalars step) {
  for (OpOperand &use : rows.getUses()) {
    if (isa<ReturnOp>(use.getOwner()))
      return Stored{use.getOperandNumber()};
    if (auto append = dyn_cast<KvAppendOp>(use.getOwner()); append && append.getRows() == rows)
      if (auto cache = findStored(append.getResult(), step))
        return Stored{cache->result, step.position, true};
  }
  return std::nullopt;
}

void Twin::choose(QuantizeOp op, const RowBounds &bounds, const Tensor &x, ArrayRef<TwinValue> results, StepOp launch,
                  StepScalars step) {
  std::optional<Stored> storedCodes = findStored(op.getCodes(), step), storedScales = findStored(op.getScales(), step);
  const Tensor *madeCodes = storedCodes ? made(launch, storedCodes->result) : nullptr;
  const Tensor *madeScales = storedScales ? made(launch, storedScales->result) : nullptr;
  Matrix &codes = results[0].exact->values, &scales = results[1].exact->values;
  // Scales in a cache are compared with the package's, not replaced by them.
  if (madeScales && !storedScales->inCache) {
    for (int64_t i = 0; i < scales.rows(); ++i)
      for (int64_t g = 0; g < scales.cols(); ++g)
        if (std::abs(madeScales->values(i, g) - scales(i, g)) <= bounds(i) / op.getMaxCode())
          scales(i, g) = madeScales->values(i, g);
    results[1].off->values = scales;
  }
  if (!madeCodes)
    return;
  Matrix quotients = getQuotients(op, x, *results[1].exact);
  for (int64_t i = 0; i < codes.rows(); ++i)
    for (int64_t j = 0; j < codes.cols(); ++j) {
      double quotient = quotients(i, j), code = madeCodes->values(storedCodes->first + i, j);
      // The largest error of the quotient, from the number and its scale.
      double apart = bounds(i) / scales(i, j / op.getGroup()) * (1 + std::abs(quotient) / op.getMaxCode());
      if (roundToCode(op, quotient - apart) <= code && code <= roundToCode(op, quotient + apart))
        codes(i, j) = code;
    }
  results[0].off->values = codes;
}
