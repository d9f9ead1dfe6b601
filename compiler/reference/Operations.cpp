// Evaluates each nstf operation.
//
// Simple code: each function is the formula in the operation's documentation (dialects/nstf/*.td).

#include "compiler/reference/Operations.h"

#include <cmath>
#include <map>
#include <numbers>
#include <stdexcept>

using namespace mlir;
using namespace nstf;
using namespace nstf::reference;
using Operands = llvm::ArrayRef<const Tensor *>;

static std::vector<int64_t> rowsOf(const Tensor &like, int64_t features) { return {like.values.rows(), features}; }

static double silu(double x) { return x / (1 + std::exp(-x)); }
static double relu(double x) { return x < 0 ? 0 : x; }
static double hyperbolicTangent(double x) { return std::tanh(x); }

/// x times erfc(-x/√2)/2, which equals (1 + erf(x/√2))/2 without loss of digits below 0.
static double gelu(double x) { return std::isinf(x) ? std::max(x, 0.0) : x / 2 * std::erfc(-x / std::numbers::sqrt2); }

/// The same with the tanh approximation: (1 + tanh(t))/2 is 1/(1 + exp(-2t)).
static double geluTanh(double x) {
  double t = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return std::isinf(x) ? std::max(x, 0.0) : x / (1 + std::exp(-2 * t));
}

static void softmaxInPlace(Eigen::Ref<Eigen::RowVectorXd> row) {
  row = (row.array() - row.maxCoeff()).exp();
  row /= row.sum();
}

static Tensor embedding(EmbeddingOp, Operands in, StepScalars) {
  const Tensor &ids = *in[0], &table = *in[1];
  Tensor result({ids.size(), table.values.cols()});
  for (int64_t i = 0; i < ids.size(); ++i) {
    double id = ids.data()[i];
    if (!(id >= 0 && id < static_cast<double>(table.values.rows())))
      throw std::runtime_error("expected ids of 0 to " + std::to_string(table.values.rows() - 1) + " but got " +
                               std::to_string(static_cast<int64_t>(id)));
    result.values.row(i) = table.values.row(static_cast<int64_t>(id));
  }
  return result;
}

/// Code `index` of a row of words; neighbouring codes are in the two halves of a word.
static int64_t pickCode(double word, int64_t bits, int64_t index) {
  int64_t inWord = index % (32 / bits);
  return uint32_t(int64_t(word)) >> (inWord / 2 * bits + inWord % 2 * 16) & ((1 << bits) - 1);
}

static Tensor dequantize(DequantizeOp op, Operands in, StepScalars) {
  CodeFormat format = op.getFormat();
  bool isFloat = bool(format.getNumberType());
  int64_t bits = format.getBits(), high = format.getHighBits();
  const Matrix &codes = in[0]->values, &scales = in[high ? 2 : 1]->values;
  Tensor result({codes.rows(), format.getColumns()});
  for (int64_t n = 0; n < result.values.rows(); ++n)
    for (int64_t k = 0; k < result.values.cols(); ++k) {
      int64_t group = k / format.getGroupSize(), code, zero = format.getMiddle();
      if (isFloat) {
        result.values(n, k) = scales(n, group) * codes(n, k);
        continue;
      }
      if (!format.isPacked())
        code = int64_t(codes(n, k)) + 128;
      else
        code = pickCode(codes(n, k / 8), 4, k);
      if (high)
        code += pickCode(in[1]->values(n, k / (32 / high)), high, k) << 4;
      if (op.getZeros()) {
        int64_t word = int64_t(in.back()->values(n / format.getZerosPerWord(), group));
        zero = uint32_t(word) >> (n % format.getZerosPerWord() * bits) & ((1 << bits) - 1);
      }
      result.values(n, k) = scales(n, group) * double(code - zero);
    }
  return result;
}

/// Rounds to the nearest f8E4M3FNUZ number, ties to even; below 2⁻⁷ these numbers are 2⁻¹⁰ apart.
static double roundToE4M3(double x) {
  int exponent = std::max(std::ilogb(x), -7);
  return x == 0 ? 0 : std::ldexp(std::nearbyint(std::ldexp(x, 3 - exponent)), exponent - 3);
}

double nstf::reference::roundToCode(QuantizeOp op, double quotient) {
  return op.getType().isInteger() ? std::nearbyint(quotient) : roundToE4M3(quotient);
}

Matrix nstf::reference::getQuotients(QuantizeOp op, const Tensor &x, const Tensor &scales) {
  int64_t size = op.getGroup();
  double maxCode = op.getMaxCode();
  return Matrix::NullaryExpr(x.values.rows(), x.values.cols(), [&](int64_t i, int64_t j) {
    float scale = scales.values(i, j / size);
    return scale == 0 ? 0 : std::clamp<double>(float(x.values(i, j)) / scale, -maxCode, maxCode);
  });
}

/// Scales and quotients are computed in f32, as in the formula, so that a tie has one definite result.
static std::vector<Tensor> quantize(QuantizeOp op, Operands in, StepScalars) {
  const Matrix &x = in[0]->values;
  int64_t size = op.getGroup(), groups = x.cols() / size;
  Tensor codes(in[0]->shape), scales({x.rows(), groups});
  for (int64_t i = 0; i < x.rows(); ++i)
    for (int64_t g = 0; g < groups; ++g) {
      float largest = x.row(i).segment(g * size, size).cast<float>().cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
      scales.values(i, g) = largest / float(op.getMaxCode());
    }
  codes.values = getQuotients(op, *in[0], scales).unaryExpr([&](double quotient) { return roundToCode(op, quotient); });
  return {codes, scales};
}

Matrix nstf::reference::decodeRows(const Matrix &codes, const Matrix &scales) {
  Matrix result = codes;
  int64_t size = codes.cols() / scales.cols();
  for (int64_t group = 0; group < scales.cols(); ++group)
    result.middleCols(group * size, size).array().colwise() *= scales.col(group).array();
  return result;
}

static Tensor dequantizeRows(DequantizeRowsOp, Operands in, StepScalars) {
  Tensor result = *in[0];
  result.values = decodeRows(result.values, in[1]->values);
  return result;
}

/// Exact for whole numbers, since their sums stay far below 2⁵³.
static Tensor linear(LinearOp op, Operands in, StepScalars) {
  Tensor result(rowsOf(*in[0], in[1]->values.rows()));
  result.values.noalias() = in[0]->values * in[1]->values.transpose();
  if (op.getResult().getType().getElementType().isInteger())
    result.values = result.values.unaryExpr([](double sum) { return double(int32_t(int64_t(sum))); });
  if (in.size() > 2)
    result.values.rowwise() += in[2]->values.row(0);
  return result;
}

static Tensor addPositions(AddPositionsOp op, Operands in, StepScalars step) {
  const Matrix &table = in[1]->values;
  Tensor result = *in[0];
  int64_t first = step.position + static_cast<int64_t>(op.getOffset()), count = result.values.rows();
  if (first < 0 || first + count > table.rows())
    throw std::runtime_error("expected rows of 0 to " + std::to_string(table.rows() - 1) +
                             " of the positions but got " + std::to_string(first) + " to " +
                             std::to_string(first + count - 1));
  result.values += table.middleRows(first, count);
  return result;
}

static Tensor rmsNorm(RmsNormOp op, Operands in, StepScalars) {
  double eps = op.getEps().convertToDouble();
  const auto weight = in[1]->values.row(0);
  Tensor result = *in[0];
  for (int64_t i = 0; i < result.values.rows(); ++i)
    for (int64_t from = 0; from < result.values.cols(); from += weight.cols()) {
      auto group = result.values.row(i).segment(from, weight.cols());
      double meanSquare = group.squaredNorm() / static_cast<double>(weight.cols());
      group = group.cwiseProduct(weight).eval() / std::sqrt(meanSquare + eps);
    }
  return result;
}

static Tensor layerNorm(LayerNormOp op, Operands in, StepScalars) {
  double eps = op.getEps().convertToDouble();
  Tensor result = *in[0];
  for (int64_t i = 0; i < result.values.rows(); ++i) {
    auto row = result.values.row(i);
    row.array() -= row.mean();
    double variance = row.squaredNorm() / static_cast<double>(row.cols());
    row = row.cwiseProduct(in[1]->values.row(0)).eval() / std::sqrt(variance + eps);
    if (in.size() > 2)
      row += in[2]->values.row(0);
  }
  return result;
}

static Tensor l2Normalize(L2NormalizeOp op, Operands in, StepScalars) {
  double eps = op.getEps().convertToDouble();
  Tensor result = *in[0];
  for (int64_t i = 0; i < result.values.rows(); ++i)
    result.values.row(i) /= std::max(result.values.row(i).norm(), eps);
  return result;
}

static Tensor rope(RopeOp op, Operands in, StepScalars step) {
  ArrayRef<double> frequencies = op.getInvFreq();
  int64_t pairs = frequencies.size(), headSize = op.getHeadSize();
  double scale = op.getScale().convertToDouble();
  Tensor result = *in[0];
  for (int64_t row = 0; row < result.values.rows(); ++row) {
    int64_t position = step.position + row;
    if (in.size() > 1 && position >= in[1]->values.rows())
      throw std::runtime_error("expected positions below " + std::to_string(in[1]->values.rows()) + " but got " +
                               std::to_string(position));
    for (int64_t i = 0; i < pairs; ++i) {
      double angle = static_cast<double>(position) * frequencies[i];
      double cosine = in.size() > 1 ? in[1]->values(position, i) : scale * std::cos(angle);
      double sine = in.size() > 1 ? in[1]->values(position, pairs + i) : scale * std::sin(angle);
      for (int64_t head = 0; head < result.values.cols(); head += headSize) {
        double &first = result.values(row, head + (op.getInterleaved() ? 2 * i : i));
        double &second = result.values(row, head + (op.getInterleaved() ? 2 * i + 1 : i + pairs));
        double a = first, b = second;
        first = a * cosine - b * sine;
        second = b * cosine + a * sine;
      }
    }
  }
  return result;
}

void nstf::reference::appendRows(const Tensor &rows, StepScalars step, Tensor &cache) {
  int64_t count = rows.values.rows();
  if (step.position < 0 || step.position + count > cache.values.rows())
    throw std::runtime_error("expected positions of 0 to " + std::to_string(cache.values.rows() - 1) + " but got " +
                             std::to_string(step.position) + " to " + std::to_string(step.position + count - 1));
  cache.values.middleRows(step.position, count) = rows.values;
}

static Tensor kvAppend(KvAppendOp, Operands in, StepScalars step) {
  Tensor cache = *in[1];
  appendRows(*in[0], step, cache);
  return cache;
}

void nstf::reference::visitLogits(
    AttentionOp op, const Matrix &q, const Matrix &k, StepScalars step,
    llvm::function_ref<void(int64_t row, int64_t head, int64_t first, Eigen::RowVectorXd &logits)> visit) {
  int64_t heads = op.getHeads(), group = heads / static_cast<int64_t>(op.getKvHeads());
  int64_t size = op.getHeadSize();
  double scale = op.getScale().convertToDouble();
  for (int64_t row = 0; row < q.rows(); ++row) {
    int64_t seen = op.readsCache() ? step.position + row + 1 : op.getCausal() ? row + 1 : k.rows();
    // The first key in the window of this row, whose position is seen - 1.
    int64_t first = std::max<int64_t>(0, seen - op.getWindow().value_or(seen)), count = seen - first;
    if (seen > k.rows())
      throw std::runtime_error("expected positions below " + std::to_string(k.rows()) + " but got " +
                               std::to_string(seen - 1));
    for (int64_t head = 0; head < heads; ++head) {
      Eigen::RowVectorXd logits =
          scale * q.row(row).segment(head * size, size) * k.block(first, head / group * size, count, size).transpose();
      visit(row, head, first, logits);
    }
  }
}

static Tensor attend(AttentionOp op, const Matrix &q, const Matrix &k, const Matrix &v, StepScalars step) {
  int64_t group = static_cast<int64_t>(op.getHeads() / op.getKvHeads()), size = op.getHeadSize();
  Tensor result({q.rows(), q.cols()});
  visitLogits(op, q, k, step, [&](int64_t row, int64_t head, int64_t first, Eigen::RowVectorXd &logits) {
    softmaxInPlace(logits);
    result.values.row(row).segment(head * size, size) =
        logits * v.block(first, head / group * size, logits.size(), size);
  });
  return result;
}

static Tensor attention(AttentionOp op, Operands in, StepScalars step) {
  if (op.readsCodes())
    return attend(op, in[0]->values, decodeRows(in[1]->values, in[3]->values), decodeRows(in[2]->values, in[4]->values),
                  step);
  return attend(op, in[0]->values, in[1]->values, in[2]->values, step);
}

static Tensor applyToAll(const Tensor &x, double (*function)(double)) {
  Tensor result = x;
  result.values = x.values.unaryExpr(function);
  return result;
}

/// Exact: Tolerance.h allows for the rounding.
static Tensor convert(ConvertOp, Operands in, StepScalars) { return *in[0]; }

static Tensor siluRows(SiluOp, Operands in, StepScalars) { return applyToAll(*in[0], silu); }
static Tensor reluRows(ReluOp, Operands in, StepScalars) { return applyToAll(*in[0], relu); }
static Tensor tanhRows(TanhOp, Operands in, StepScalars) { return applyToAll(*in[0], hyperbolicTangent); }
static Tensor geluRows(GeluOp op, Operands in, StepScalars) {
  return applyToAll(*in[0], op.getTanh() ? geluTanh : gelu);
}

static Tensor swiglu(SwigluOp, Operands in, StepScalars) {
  Tensor result = *in[0];
  result.values = result.values.unaryExpr(&silu).cwiseProduct(in[1]->values);
  return result;
}

static Tensor add(AddOp, Operands in, StepScalars) {
  Tensor result = *in[0];
  result.values += in[1]->values;
  return result;
}

static Tensor mul(MulOp, Operands in, StepScalars) {
  Tensor result = *in[0];
  result.values = result.values.cwiseProduct(in[1]->values);
  return result;
}

static Tensor softmax(SoftmaxOp, Operands in, StepScalars) {
  Tensor result = *in[0];
  for (int64_t i = 0; i < result.values.rows(); ++i)
    softmaxInPlace(result.values.row(i));
  return result;
}

static Tensor argmax(ArgmaxOp, Operands in, StepScalars) {
  const Matrix &x = in[0]->values;
  Tensor result({x.rows()});
  for (int64_t i = 0; i < x.rows(); ++i) {
    int64_t best = 0;
    for (int64_t j = 1; j < x.cols(); ++j)
      if (x(i, j) > x(i, best))
        best = j;
    result.data()[i] = static_cast<double>(best);
  }
  return result;
}

/// The reference runs one request; the other requests' rows are zero.
static Tensor lastRow(LastRowOp op, Operands in, StepScalars) {
  Tensor result({int64_t(op.getRequests()), in[0]->values.cols()});
  result.values.setZero();
  result.values.topRows(1) = in[0]->values.bottomRows(1);
  return result;
}

static Tensor firstRow(FirstRowOp, Operands in, StepScalars) {
  Tensor result({1, in[0]->values.cols()});
  result.values = in[0]->values.topRows(1);
  return result;
}

static Tensor meanRows(MeanRowsOp, Operands in, StepScalars) {
  Tensor result({1, in[0]->values.cols()});
  result.values = in[0]->values.colwise().mean();
  return result;
}

// By name

using Results = std::vector<Tensor>;
using Meaning = Results (*)(Operation *, Operands, StepScalars);

template <typename Op, Tensor (*meaning)(Op, Operands, StepScalars)>
static std::pair<const StringRef, Meaning> entry() {
  return {Op::getOperationName(),
          [](Operation *op, Operands in, StepScalars step) { return Results{meaning(cast<Op>(op), in, step)}; }};
}

template <typename Op, Results (*meaning)(Op, Operands, StepScalars)>
static std::pair<const StringRef, Meaning> entry() {
  return {Op::getOperationName(),
          [](Operation *op, Operands in, StepScalars step) { return meaning(cast<Op>(op), in, step); }};
}

static const std::map<StringRef, Meaning> &meanings() {
  static const std::map<StringRef, Meaning> table = {
      entry<AddOp, add>(),
      entry<AddPositionsOp, addPositions>(),
      entry<ArgmaxOp, argmax>(),
      entry<AttentionOp, attention>(),
      entry<ConvertOp, convert>(),
      entry<DequantizeOp, dequantize>(),
      entry<DequantizeRowsOp, dequantizeRows>(),
      entry<EmbeddingOp, embedding>(),
      entry<FirstRowOp, firstRow>(),
      entry<GeluOp, geluRows>(),
      entry<KvAppendOp, kvAppend>(),
      entry<L2NormalizeOp, l2Normalize>(),
      entry<LastRowOp, lastRow>(),
      entry<LayerNormOp, layerNorm>(),
      entry<LinearOp, linear>(),
      entry<MeanRowsOp, meanRows>(),
      entry<MulOp, mul>(),
      entry<QuantizeOp, quantize>(),
      entry<ReluOp, reluRows>(),
      entry<RmsNormOp, rmsNorm>(),
      entry<RopeOp, rope>(),
      entry<SiluOp, siluRows>(),
      entry<SoftmaxOp, softmax>(),
      entry<SwigluOp, swiglu>(),
      entry<TanhOp, tanhRows>(),
  };
  return table;
}

std::vector<Tensor> nstf::reference::evaluateOperation(Operation *op, Operands operands, StepScalars step) {
  auto found = meanings().find(op->getName().getStringRef());
  if (found == meanings().end())
    throw std::runtime_error("the reference has no meaning for '" + op->getName().getStringRef().str() + "'");
  return found->second(op, operands, step);
}

std::vector<std::string> nstf::reference::referenceOperations() {
  std::vector<std::string> names;
  for (const auto &[name, meaning] : meanings())
    names.push_back(name.drop_front(StringRef("nstf.").size()).str());
  return names;
}
