//===- Operations.cpp - The meaning of each nstf operation --------------------------------===//
//
// Naive and readable: each function is the formula of the operation's documentation (dialects/nstf/*.td).
//
//===----------------------------------------------------------------------------------===//

#include "compiler/reference/Operations.h"

#include "dialects/nstf/NSTF.h"

#include <cmath>
#include <map>
#include <stdexcept>

using namespace mlir;
using namespace nstf;
using Operands = llvm::ArrayRef<const Tensor *>;

static std::vector<int64_t> rowsOf(const Tensor &like, int64_t features) { return {like.values.rows(), features}; }

static double silu(double x) { return x / (1 + std::exp(-x)); }

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

static Tensor linear(LinearOp, Operands in, StepScalars) {
  Tensor result(rowsOf(*in[0], in[1]->values.rows()));
  result.values.noalias() = in[0]->values * in[1]->values.transpose();
  if (in.size() > 2)
    result.values.rowwise() += in[2]->values.row(0);
  return result;
}

static Tensor rmsNorm(RmsNormOp op, Operands in, StepScalars) {
  double eps = op.getEps().convertToDouble();
  Tensor result = *in[0];
  for (int64_t i = 0; i < result.values.rows(); ++i) {
    double meanSquare = result.values.row(i).squaredNorm() / static_cast<double>(result.values.cols());
    result.values.row(i) = result.values.row(i).cwiseProduct(in[1]->values.row(0)) / std::sqrt(meanSquare + eps);
  }
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

void nstf::appendRows(const Tensor &rows, StepScalars step, Tensor &cache) {
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

static Tensor attention(AttentionOp op, Operands in, StepScalars step) {
  const Matrix &q = in[0]->values, &k = in[1]->values, &v = in[2]->values;
  int64_t heads = op.getHeads(), group = heads / static_cast<int64_t>(op.getKvHeads());
  int64_t size = op.getHeadSize();
  double scale = op.getScale().convertToDouble();
  Tensor result(rowsOf(*in[0], q.cols()));
  for (int64_t row = 0; row < q.rows(); ++row) {
    int64_t seen = op.readsCache() ? step.position + row + 1 : op.getCausal() ? row + 1 : k.rows();
    if (seen > k.rows())
      throw std::runtime_error("expected positions below " + std::to_string(k.rows()) + " but got " +
                               std::to_string(seen - 1));
    for (int64_t head = 0; head < heads; ++head) {
      int64_t from = head / group * size;
      Eigen::RowVectorXd weights =
          scale * q.row(row).segment(head * size, size) * k.block(0, from, seen, size).transpose();
      softmaxInPlace(weights);
      result.values.row(row).segment(head * size, size) = weights * v.block(0, from, seen, size);
    }
  }
  return result;
}

static Tensor siluRows(SiluOp, Operands in, StepScalars) {
  Tensor result = *in[0];
  result.values = result.values.unaryExpr(&silu);
  return result;
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

static Tensor lastRow(LastRowOp, Operands in, StepScalars) {
  Tensor result({1, in[0]->values.cols()});
  result.values = in[0]->values.bottomRows(1);
  return result;
}

//===----------------------------------------------------------------------------------===//
// By name
//===----------------------------------------------------------------------------------===//

using Meaning = Tensor (*)(Operation *, Operands, StepScalars);

template <typename Op, Tensor (*meaning)(Op, Operands, StepScalars)>
static std::pair<const StringRef, Meaning> entry() {
  return {Op::getOperationName(),
          [](Operation *op, Operands in, StepScalars step) { return meaning(cast<Op>(op), in, step); }};
}

static const std::map<StringRef, Meaning> &meanings() {
  static const std::map<StringRef, Meaning> table = {
      entry<AddOp, add>(),
      entry<ArgmaxOp, argmax>(),
      entry<AttentionOp, attention>(),
      entry<EmbeddingOp, embedding>(),
      entry<KvAppendOp, kvAppend>(),
      entry<LastRowOp, lastRow>(),
      entry<LinearOp, linear>(),
      entry<MulOp, mul>(),
      entry<RmsNormOp, rmsNorm>(),
      entry<RopeOp, rope>(),
      entry<SiluOp, siluRows>(),
      entry<SoftmaxOp, softmax>(),
      entry<SwigluOp, swiglu>(),
  };
  return table;
}

Tensor nstf::evaluateOperation(Operation *op, Operands operands, StepScalars step) {
  auto found = meanings().find(op->getName().getStringRef());
  if (found == meanings().end())
    throw std::runtime_error("the reference has no meaning for '" + op->getName().getStringRef().str() + "'");
  return found->second(op, operands, step);
}

std::vector<std::string> nstf::referenceOperations() {
  std::vector<std::string> names;
  for (const auto &[name, meaning] : meanings())
    names.push_back(name.drop_front(StringRef("nstf.").size()).str());
  return names;
}
