// Evaluates linalg and tensor operations.

#include "compiler/reference/ScalarCode.h"

#include "dialects/nstf/NSTF.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <stdexcept>

using namespace mlir;
using namespace nstf;
using namespace nstf::reference;
using Index = llvm::SmallVector<int64_t>;

namespace {

/// One operation with the values from outside that it uses.
struct Evaluation {
  TensorLookup lookup;
  StepScalars step;

  Index shapeOf(Type type) const {
    Index shape(cast<RankedTensorType>(type).getShape());
    for (int64_t &size : shape)
      size = ShapedType::isDynamic(size) ? step.tokens : size;
    return shape;
  }

  Tensor make(Type type) const {
    Index shape = shapeOf(type);
    return Tensor(std::vector<int64_t>(shape.begin(), shape.end()));
  }

  int64_t number(OpFoldResult value) const {
    if (auto constant = getConstantIntValue(value))
      return *constant;
    return int64_t(lookup(cast<Value>(value)).data()[0]);
  }

  Index numbers(ArrayRef<OpFoldResult> values) const {
    Index result;
    for (OpFoldResult value : values)
      result.push_back(number(value));
    return result;
  }

  /// Every index of a shape in row-major order.
  static void forEach(ArrayRef<int64_t> shape, llvm::function_ref<void(const Index &)> visit) {
    if (llvm::is_contained(shape, 0))
      return;
    Index index(shape.size(), 0);
    while (true) {
      visit(index);
      size_t dim = shape.size();
      while (dim > 0 && ++index[dim - 1] == shape[dim - 1])
        index[--dim] = 0;
      if (dim == 0)
        return;
    }
  }

  /// A result whose elements are a function of their index.
  Tensor fill(Type type, llvm::function_ref<double(const Index &)> element) const {
    Tensor result = make(type);
    double *next = result.data();
    forEach(shapeOf(type), [&](const Index &index) { *next++ = element(index); });
    return result;
  }

  static int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> dims) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return dims[dim.getPosition()];
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return constant.getValue();
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      throw std::runtime_error("expected indexing maps without symbols");
    int64_t left = evaluate(binary.getLHS(), dims), right = evaluate(binary.getRHS(), dims);
    switch (expr.getKind()) {
    case AffineExprKind::Add:
      return left + right;
    case AffineExprKind::Mul:
      return left * right;
    case AffineExprKind::Mod:
      return ((left % right) + right) % right;
    case AffineExprKind::FloorDiv:
      return llvm::divideFloorSigned(left, right);
    default:
      return llvm::divideCeilSigned(left, right);
    }
  }

  static Index evaluate(AffineMap map, ArrayRef<int64_t> dims) {
    Index index;
    for (AffineExpr expr : map.getResults())
      index.push_back(evaluate(expr, dims));
    return index;
  }

  std::vector<Tensor> generic(linalg::GenericOp op) const {
    struct Operand {
      const Tensor *value; ///< for a result, the result itself
      AffineMap map;
    };
    std::vector<Operand> operands;
    std::vector<Tensor> results;
    for (Value init : op.getDpsInits())
      results.push_back(lookup(init));
    Index loops(op.getNumLoops(), 1);
    for (OpOperand &operand : op->getOpOperands()) {
      bool isInit = op.isDpsInit(&operand);
      const Tensor &value = isInit ? results[operand.getOperandNumber() - op.getNumDpsInputs()] : lookup(operand.get());
      AffineMap map = op.getMatchingIndexingMap(&operand);
      operands.push_back({&value, map});
      for (auto [expr, size] : llvm::zip(map.getResults(), value.shape))
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          loops[dim.getPosition()] = size;
    }
    ScalarBlock body(*op.getBody(), lookup, step);
    std::vector<double> arguments(operands.size());
    forEach(loops, [&](const Index &index) {
      for (auto [argument, operand] : llvm::zip_equal(arguments, operands))
        argument = operand.value->shape.empty() ? operand.value->data()[0]
                                                : elementAt(*operand.value, evaluate(operand.map, index));
      const std::vector<double> &values = body.run(arguments, index);
      for (size_t i = 0; i < results.size(); ++i) {
        int64_t linear = 0;
        Index at = evaluate(operands[op.getNumDpsInputs() + i].map, index);
        for (auto [coordinate, size] : llvm::zip_equal(at, results[i].shape))
          linear = linear * size + coordinate;
        results[i].data()[linear] = values[i];
      }
    });
    return results;
  }

  Tensor constant(arith::ConstantOp op) const {
    auto elements = cast<DenseElementsAttr>(op.getValue());
    Tensor result = make(op.getType());
    int64_t i = 0;
    for (Attribute element : elements.getValues<Attribute>()) {
      auto number = dyn_cast<FloatAttr>(element);
      result.data()[i++] = number ? number.getValueAsDouble()
                           : elements.getElementType().isInteger(1)
                               ? double(!cast<IntegerAttr>(element).getValue().isZero())
                               : double(cast<IntegerAttr>(element).getInt());
    }
    return result;
  }

  Tensor extractSlice(tensor::ExtractSliceOp op) const {
    const Tensor &source = lookup(op.getSource());
    Index offsets = numbers(op.getMixedOffsets()), strides = numbers(op.getMixedStrides());
    llvm::SmallBitVector dropped = op.getDroppedDims();
    return fill(op.getType(), [&](const Index &index) {
      Index at;
      size_t next = 0;
      for (size_t dim = 0; dim < offsets.size(); ++dim)
        at.push_back(offsets[dim] + (dropped.test(dim) ? 0 : index[next++]) * strides[dim]);
      return elementAt(source, at);
    });
  }

  Tensor insertSlice(tensor::InsertSliceOp op) const {
    const Tensor &source = lookup(op.getSource());
    Tensor result = lookup(op.getDest());
    Index offsets = numbers(op.getMixedOffsets()), sizes = numbers(op.getMixedSizes()),
          strides = numbers(op.getMixedStrides());
    const double *next = source.data();
    forEach(sizes, [&](const Index &index) {
      int64_t linear = 0;
      for (size_t dim = 0; dim < index.size(); ++dim) {
        int64_t at = offsets[dim] + index[dim] * strides[dim];
        if (at < 0 || at >= result.shape[dim])
          throw std::runtime_error("expected a slice inside the tensor");
        linear = linear * result.shape[dim] + at;
      }
      result.data()[linear] = *next++;
    });
    return result;
  }

  Tensor concat(tensor::ConcatOp op) const {
    return fill(op.getType(), [&](const Index &index) {
      Index at = index;
      for (Value input : op.getInputs()) {
        const Tensor &tensor = lookup(input);
        int64_t size = tensor.shape[op.getDim()];
        if (at[op.getDim()] < size)
          return elementAt(tensor, at);
        at[op.getDim()] -= size;
      }
      throw std::runtime_error("expected inputs that fill the concatenation");
    });
  }

  Tensor pad(tensor::PadOp op) const {
    const Tensor &source = lookup(op.getSource());
    Index low = numbers(op.getMixedLowPad());
    ScalarBlock body(*op.getBody(), lookup, step);
    return fill(op.getType(), [&](const Index &index) {
      Index at;
      bool isInside = true;
      for (auto [i, offset, size] : llvm::zip_equal(index, low, source.shape)) {
        at.push_back(i - offset);
        isInside &= at.back() >= 0 && at.back() < size;
      }
      return isInside ? elementAt(source, at) : body.run({index.begin(), index.end()}, {}).front();
    });
  }

  Tensor gather(tensor::GatherOp op) const {
    const Tensor &source = lookup(op.getSource()), &indices = lookup(op.getIndices());
    size_t batch = indices.shape.size() - 1, rank = source.shape.size();
    ArrayRef<int64_t> dims = op.getGatherDims();
    return fill(op.getType(), [&](const Index &index) {
      bool keepsDims = index.size() == batch + rank;
      Index at;
      size_t next = batch;
      for (size_t dim = 0; dim < rank; ++dim) {
        const auto *found = llvm::find(dims, int64_t(dim));
        if (found == dims.end()) {
          at.push_back(index[next++]);
          continue;
        }
        Index where(index.begin(), index.begin() + batch);
        where.push_back(found - dims.begin());
        at.push_back(int64_t(elementAt(indices, where)));
        next += keepsDims;
      }
      return elementAt(source, at);
    });
  }

  Tensor reshaped(Value source, Type type) const {
    Tensor result = make(type);
    const Tensor &from = lookup(source);
    if (from.size() != result.size())
      throw std::runtime_error("expected a reshape of as many elements");
    std::copy(from.data(), from.data() + from.size(), result.data());
    return result;
  }

  static Tensor scalar(double value) { return Tensor(std::vector<int64_t>{}, std::vector<double>{value}); }

  std::vector<Tensor> run(Operation *op) const {
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return this->generic(generic);
    if (isa<linalg::LinalgOp>(op))
      throw std::runtime_error("expected linalg.generic (nstf-normalize-tensor-ops) but got '" +
                               op->getName().getStringRef().str() + "'");
    if (op->getNumResults() != 1)
      throw std::runtime_error("the reference has no meaning for '" + op->getName().getStringRef().str() + "'");
    return {runOne(op)};
  }

  Tensor runOne(Operation *op) const {
    Type type = op->getResult(0).getType();
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (isa<RankedTensorType>(type))
        return this->constant(constant);
      auto number = dyn_cast<FloatAttr>(constant.getValue());
      return scalar(number              ? number.getValueAsDouble()
                    : type.isInteger(1) ? double(!cast<IntegerAttr>(constant.getValue()).getValue().isZero())
                                        : double(cast<IntegerAttr>(constant.getValue()).getInt()));
    }
    if (isa<tensor::EmptyOp>(op))
      return make(type);
    if (auto splat = dyn_cast<tensor::SplatOp>(op))
      return fill(type, [value = lookup(splat.getInput()).data()[0]](const Index &) { return value; });
    if (auto elements = dyn_cast<tensor::FromElementsOp>(op)) {
      Tensor result = make(type);
      for (auto [i, element] : llvm::enumerate(elements.getElements()))
        result.data()[i] = lookup(element).data()[0];
      return result;
    }
    if (auto generate = dyn_cast<tensor::GenerateOp>(op)) {
      ScalarBlock body(generate.getBody().front(), lookup, step);
      return fill(type, [&](const Index &index) { return body.run({index.begin(), index.end()}, {}).front(); });
    }
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      return extractSlice(slice);
    if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
      return insertSlice(slice);
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      return reshaped(op->getOperand(0), type);
    if (auto concat = dyn_cast<tensor::ConcatOp>(op))
      return this->concat(concat);
    if (auto pad = dyn_cast<tensor::PadOp>(op))
      return this->pad(pad);
    if (auto gather = dyn_cast<tensor::GatherOp>(op))
      return this->gather(gather);
    if (auto dim = dyn_cast<tensor::DimOp>(op))
      return scalar(double(shapeOf(dim.getSource().getType())[dim.getConstantIndex().value()]));
    if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      Index index;
      for (Value at : extract.getIndices())
        index.push_back(int64_t(lookup(at).data()[0]));
      return scalar(elementAt(lookup(extract.getTensor()), index));
    }
    if (isa<RankedTensorType>(type))
      throw std::runtime_error("the reference has no meaning for '" + op->getName().getStringRef().str() +
                               "' on tensors (nstf-normalize-tensor-ops gives it one)");
    std::vector<double> operands;
    for (Value operand : op->getOperands())
      operands.push_back(lookup(operand).data()[0]);
    return scalar(getMeaning(op)(operands.data()));
  }
};

} // namespace

bool nstf::reference::isTensorOperation(Operation *op) { return !isa_and_nonnull<NSTFDialect>(op->getDialect()); }

std::vector<Tensor> nstf::reference::evaluateTensorOperation(Operation *op, TensorLookup lookup, StepScalars step) {
  return Evaluation{lookup, step}.run(op);
}
