#include "compiler/compress/Rotation.h"

#include "compiler/compress/FoldScales.h"
#include "passes/nstf/FormedGraph.h"
#include "support/Escape.h"

#include <stdexcept>
#include <tbb/parallel_for.h>

using namespace mlir;
using namespace nstf;
using namespace nstf::calibrate;
using namespace nstf::compress;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using reference::Matrix;

// The graph

[[noreturn]] static void refuse(Operation *op, const Twine &expected) {
  auto location = dyn_cast<NameLoc>(op->getLoc());
  throw std::runtime_error("--rotate: expected " + expected.str() + " but got " + op->getName().getStringRef().str() +
                           (location ? " '" + support::escape(location.getName().str()) + "'" : ""));
}

Rotation::Rotation(ModuleOp module, const LinearSites &found, reference::WeightReader &reader)
    : found(found), reader(reader), sides(found.sites.size()) {
  GraphOp graph = *getGraph(module);
  SmallVector<Value> stream;
  for (EmbeddingOp embedding : graph.getBody().getOps<EmbeddingOp>()) {
    auto get = embedding.getTable().getDefiningOp<GetOp>();
    auto table = get ? module.lookupSymbol<WeightOp>(get.getSymbol()) : WeightOp();
    if (!table)
      refuse(embedding, "an embedding of a weight");
    tables.insert(table);
    stream.push_back(embedding.getResult());
  }
  if (stream.empty())
    throw std::runtime_error("--rotate: expected a model with an embedding but it has none");
  for (size_t i = 0; i < stream.size(); ++i)
    follow(stream[i], stream);
  for (Value value : stream) // sums: each operand is the stream or is written to it
    if (auto sum = value.getDefiningOp<AddOp>())
      for (Value operand : sum->getOperands())
        if (!llvm::is_contained(stream, operand))
          addWriter(operand);
  matrix.emplace(cast<RankedTensorType>(stream.front().getType()).getDimSize(1));
}

void Rotation::follow(Value value, SmallVectorImpl<Value> &stream) {
  for (OpOperand &use : value.getUses()) {
    Operation *op = use.getOwner();
    if (auto norm = dyn_cast<RmsNormOp>(op); norm && use.getOperandNumber() == 0)
      addReaders(norm);
    else if (!isa<AddOp, LastRowOp>(op))
      refuse(op, "a residual stream that norms of RMS read");
    else if (!llvm::is_contained(stream, op->getResult(0)))
      stream.push_back(op->getResult(0));
  }
}

void Rotation::addReaders(RmsNormOp norm) {
  WeightOp weight = findOwnWeight(norm->getOperand(1));
  if (!weight)
    refuse(norm, "a norm with a weight of its own");
  norms.insert(weight);
  SmallVector<Value> rows = {norm.getResult()};
  for (size_t i = 0; i < rows.size(); ++i)
    for (OpOperand &use : rows[i].getUses()) {
      std::optional<size_t> site = findSite(use.getOwner());
      if (site && use.getOperandNumber() == 0)
        sides[*site].norm = weight;
      else if (isa<LastRowOp>(use.getOwner()))
        rows.push_back(use.getOwner()->getResult(0));
      else
        refuse(use.getOwner(), "norms that linears with weights of numbers read");
    }
}

void Rotation::addWriter(Value value) {
  Operation *op = value.getDefiningOp();
  std::optional<size_t> site = op ? findSite(op) : std::nullopt;
  if (!site || !value.hasOneUse())
    refuse(op ? op : value.getParentBlock()->getParentOp(), "a residual stream that linears write to");
  sides[*site].writes = true;
  if (op->getNumOperands() < 3)
    return;
  WeightOp bias = findOwnWeight(op->getOperand(2));
  if (!bias)
    refuse(op, "a linear with a bias of its own");
  biases.insert(bias);
}

std::optional<size_t> Rotation::findSite(Operation *op) const {
  auto site = llvm::find_if(found.sites, [&](const LinearSite &site) { return site.op == op; });
  return site == found.sites.end() ? std::nullopt : std::optional<size_t>(site - found.sites.begin());
}

// The numbers

using Multiply = void (quantize::OrthogonalMatrix::*)(std::span<double>) const;

/// Multiplies each row by Q, or by Qᵀ.
static void multiplyRows(const quantize::OrthogonalMatrix &by, Multiply multiply, Matrix &rows) {
  tbb::parallel_for(int64_t(0), rows.rows(),
                    [&](int64_t i) { (by.*multiply)({rows.data() + i * rows.cols(), size_t(rows.cols())}); });
}

/// Multiplies a block of columns at a time: a transposed copy would be the second largest object in memory.
static void multiplyColumns(const quantize::OrthogonalMatrix &by, Multiply multiply, Matrix &rows) {
  constexpr int64_t width = 64;
  tbb::parallel_for(int64_t(0), (rows.cols() + width - 1) / width, [&](int64_t block) {
    auto columns = rows.middleCols(block * width, std::min(width, rows.cols() - block * width));
    Matrix transposed = columns.transpose();
    multiplyRows(by, multiply, transposed);
    columns = transposed.transpose();
  });
}

VectorXd Rotation::readNorm(WeightOp norm) const {
  std::shared_ptr<reference::Tensor> weight = reader.read(norm);
  return VectorXd::Map(weight->data(), weight->size());
}

static VectorXd invert(const VectorXd &norm) { return (norm.array() == 0).select(0, norm.array().inverse()); }

void Rotation::apply(size_t site, Matrix &numbers) const {
  if (sides[site].norm) {
    numbers *= readNorm(sides[site].norm).asDiagonal();
    multiplyRows(*matrix, &quantize::OrthogonalMatrix::multiply, numbers);
  }
  if (sides[site].writes) // Qᵀ·W
    multiplyColumns(*matrix, &quantize::OrthogonalMatrix::multiply, numbers);
}

void Rotation::undo(size_t site, Matrix &numbers) const {
  if (sides[site].writes)
    multiplyColumns(*matrix, &quantize::OrthogonalMatrix::multiplyTransposed, numbers);
  if (sides[site].norm) {
    multiplyRows(*matrix, &quantize::OrthogonalMatrix::multiplyTransposed, numbers);
    numbers *= invert(readNorm(sides[site].norm)).asDiagonal();
  }
}

void Rotation::applySums(size_t input, MatrixXd &sums) const {
  if (!readsResidual(input))
    return;
  VectorXd inverse = invert(readNorm(sides[found.inputs[input].sites.front()].norm));
  Matrix whole = sums.selfadjointView<Eigen::Lower>();
  whole = inverse.asDiagonal() * whole * inverse.asDiagonal();
  multiplyRows(*matrix, &quantize::OrthogonalMatrix::multiply, whole);
  multiplyColumns(*matrix, &quantize::OrthogonalMatrix::multiply, whole);
  sums = whole;
}

void Rotation::apply(WeightOp weight, Matrix &numbers) const {
  if (norms.contains(weight))
    numbers.setOnes();
  else
    multiplyRows(*matrix, &quantize::OrthogonalMatrix::multiply, numbers);
}
