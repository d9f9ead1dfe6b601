// Checks and queries of tensor code (TensorCode.h).
#include "passes/nstf/TensorCode.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nstf;

namespace {

/// The max number of elements of a constant that is not a splat: it becomes a chain of selects.
constexpr int64_t maxConstants = 64;

bool isScalar(Type type) {
  return type.isIndex() || type.isInteger(1) || type.isInteger(32) || type.isF32() || type.isF16() || type.isBF16();
}

/// The arith and math ops that the chips' instructions compute, on the types of isScalar. Excluded are remf, expm1 and
/// log1p, whose expansions lose digits, and whatever needs a library.
bool isScalarFunction(Operation *op) {
  return isa<arith::ConstantOp, arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::NegFOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::CmpFOp, arith::SelectOp,
             arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
             arith::RemUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp,
             arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp, arith::CmpIOp, arith::ExtFOp,
             arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp,
             arith::FPToSIOp, arith::FPToUIOp, arith::BitcastOp, arith::IndexCastOp, arith::IndexCastUIOp>(op) ||
         isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::CosOp, math::ErfOp, math::ExpOp,
             math::Exp2Op, math::FloorOp, math::FmaOp, math::LogOp, math::Log2Op, math::Log10Op, math::PowFOp,
             math::RoundOp, math::RoundEvenOp, math::RsqrtOp, math::SinOp, math::SqrtOp, math::TanhOp, math::TruncOp,
             math::IsNaNOp, math::IsInfOp, math::IsFiniteOp>(op);
}

LogicalResult verifyScalarTypes(Operation *op) {
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (!isScalar(type) && !isa<RankedTensorType>(type))
      return op->emitOpError() << "expected scalars of f32, f16, bf16, i32, i1 or index in tensor code but got "
                               << type;
  bool isBits = isa<arith::BitcastOp>(op);
  if (isBits && !op->getOperand(0).getType().isF32() && !op->getOperand(0).getType().isInteger(32))
    return op->emitOpError() << "expected a bitcast between f32 and i32 but got " << op->getOperand(0).getType();
  return success();
}

LogicalResult verifyScalarOp(Operation *op) {
  auto apply = dyn_cast<affine::AffineApplyOp>(op);
  if (apply && !apply.getAffineMap().getResult(0).isPureAffine())
    return op->emitOpError() << "expected an affine map but got " << apply.getMapAttr();
  if (isa<linalg::YieldOp, tensor::YieldOp, linalg::IndexOp, tensor::ExtractOp, tensor::DimOp, affine::AffineApplyOp>(
          op) ||
      isScalarFunction(op))
    return verifyScalarTypes(op);
  return op->emitOpError("expected an arith or math op that the generic kernel template computes");
}

LogicalResult verifyBody(Region &region) {
  WalkResult result = region.walk<WalkOrder::PreOrder>(
      [](Operation *op) { return failed(verifyScalarOp(op)) ? WalkResult::interrupt() : WalkResult(success()); });
  return failure(result.wasInterrupted());
}

/// Checks that every dynamic size is the step's number of tokens.
LogicalResult verifySizes(Operation *op, ValueRange sizes) {
  for (Value size : sizes)
    if (!isTokens(size)) {
      InFlightDiagnostic error = op->emitOpError()
                                 << "expected dynamic sizes to be the tokens of the step (the size of a `?`)";
      error.attachNote(size.getLoc()) << "computed here: shapes that depend on data have no kernel template";
      return error;
    }
  return success();
}

LogicalResult verifyGeneric(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics())
    return op.emitOpError("expected tensors, not buffers");
  SmallVector<int64_t> extents(op.getNumLoops(), -1);
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue; // a scalar input
    for (auto [expr, size] : llvm::zip_equal(map.getResults(), type.getShape())) {
      if (!expr.isPureAffine())
        return op.emitOpError() << "expected affine indexing maps but got " << AffineMapAttr::get(map);
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        continue;
      int64_t &extent = extents[dim.getPosition()];
      if (extent != -1 && extent != size)
        return op.emitOpError() << "expected operands of one size along loop " << dim.getPosition() << " but got "
                                << (ShapedType::isDynamic(extent) ? "?" : std::to_string(extent)) << " and "
                                << (ShapedType::isDynamic(size) ? "?" : std::to_string(size));
      extent = size;
    }
  }
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    llvm::SmallDenseSet<unsigned> seen;
    for (auto [expr, size] :
         llvm::zip_equal(map.getResults(), cast<RankedTensorType>(init.get().getType()).getShape())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      bool isZero = size == 1 && isa<AffineConstantExpr>(expr);
      if (!isZero && (!dim || !seen.insert(dim.getPosition()).second))
        return op.emitOpError() << "expected each result's indexing map to be a projected permutation but got "
                                << AffineMapAttr::get(map);
    }
    for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
      if ((kind == utils::IteratorType::parallel) != seen.contains(loop))
        return op.emitOpError() << "expected results along all parallel loops and no other but got "
                                << AffineMapAttr::get(map);
  }
  return verifyBody(op.getRegion());
}

/// Checks that a `?` is merged with dimensions of 1 only.
LogicalResult verifyGroups(Operation *op, RankedTensorType wide, ArrayRef<ReassociationIndices> groups) {
  for (ArrayRef<int64_t> group : groups) {
    bool isDynamic = llvm::any_of(group, [&](int64_t dim) { return wide.isDynamicDim(dim); });
    if (isDynamic && llvm::count_if(group, [&](int64_t dim) { return wide.getDimSize(dim) != 1; }) != 1)
      return op->emitOpError() << "expected a `?` merged with dimensions of 1 only but got " << wide;
  }
  return success();
}

LogicalResult verifyPad(tensor::PadOp op) {
  for (int64_t dim = 0; dim < op.getType().getRank(); ++dim) {
    bool isKept = op.getStaticLow()[dim] == 0 && op.getStaticHigh()[dim] == 0;
    bool isStatic = !ShapedType::isDynamic(op.getStaticLow()[dim]) && !ShapedType::isDynamic(op.getStaticHigh()[dim]);
    if (!isStatic || (op.getSourceType().isDynamicDim(dim) && !isKept) ||
        op.getSourceType().isDynamicDim(dim) != op.getType().isDynamicDim(dim))
      return op.emitOpError() << "expected constant padding, and none along a `?`, but got " << op.getSourceType()
                              << " to " << op.getType();
  }
  return verifyBody(op.getRegion());
}

LogicalResult verifyGather(tensor::GatherOp op) {
  if (!op.getIndicesType().getElementType().isInteger(32) && !op.getIndicesType().getElementType().isIndex())
    return op.emitOpError() << "expected indices of i32 but got " << op.getIndicesType();
  return success();
}

LogicalResult verifyConstant(arith::ConstantOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type)
    return verifyScalarTypes(op);
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements || (!elements.isSplat() && type.getNumElements() > maxConstants))
    return op.emitOpError() << "expected a constant of one value, or of at most " << maxConstants
                            << " elements (more belong in an nstf.weight), but got " << type;
  return success();
}

} // namespace

bool nstf::isTensorCode(Operation &op) { return !isa_and_nonnull<NSTFDialect>(op.getDialect()); }

bool nstf::isStorable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getEncoding())
    return false;
  Type element = tensor.getElementType();
  return (element.isF32() || element.isF16() || element.isBF16() || element.isInteger(32)) &&
         (tensor.getRank() == 0 || !llvm::is_contained(tensor.getShape().drop_front(), ShapedType::kDynamic));
}

bool nstf::isTokens(Value value) {
  auto dim = value.getDefiningOp<tensor::DimOp>();
  if (!dim)
    return false;
  std::optional<int64_t> index = dim.getConstantIndex();
  auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
  return index && type && *index < type.getRank() && type.isDynamicDim(*index);
}

LogicalResult nstf::verifyTensorOp(Operation *op) {
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (auto tensor = dyn_cast<TensorType>(type)) {
      auto ranked = dyn_cast<RankedTensorType>(tensor);
      if (!ranked || ranked.getEncoding() || !isScalar(ranked.getElementType()))
        return op->emitOpError() << "expected ranked tensors of f32, f16, bf16, i32, i1 or index but got " << type;
      if (llvm::is_contained(ranked.getShape(), 0))
        return op->emitOpError() << "expected tensors that are not empty but got " << type;
    }
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<linalg::GenericOp>(verifyGeneric)
      .Case<arith::ConstantOp>(verifyConstant)
      .Case<tensor::PadOp>(verifyPad)
      .Case<tensor::GatherOp>(verifyGather)
      .Case<tensor::FromElementsOp>([](tensor::FromElementsOp op) -> LogicalResult {
        if (op.getType().getNumElements() > maxConstants)
          return op.emitOpError() << "expected at most " << maxConstants << " elements but got " << op.getType();
        return success();
      })
      .Case<tensor::EmptyOp>([](tensor::EmptyOp op) { return verifySizes(op, op.getDynamicSizes()); })
      .Case<tensor::SplatOp>([](tensor::SplatOp op) { return verifySizes(op, op.getDynamicSizes()); })
      .Case<tensor::GenerateOp>([](tensor::GenerateOp op) -> LogicalResult {
        if (failed(verifySizes(op, op.getDynamicExtents())))
          return failure();
        return verifyBody(op.getBody());
      })
      .Case<tensor::ExtractSliceOp>([](tensor::ExtractSliceOp op) { return verifySizes(op, op.getSizes()); })
      .Case<tensor::InsertSliceOp>([](tensor::InsertSliceOp op) { return verifySizes(op, op.getSizes()); })
      .Case<tensor::CollapseShapeOp>(
          [](tensor::CollapseShapeOp op) { return verifyGroups(op, op.getSrcType(), op.getReassociationIndices()); })
      .Case<tensor::ExpandShapeOp>([](tensor::ExpandShapeOp op) -> LogicalResult {
        if (failed(verifySizes(op, op.getOutputShape())))
          return failure();
        return verifyGroups(op, op.getResultType(), op.getReassociationIndices());
      })
      .Case<tensor::ConcatOp>([](tensor::ConcatOp op) -> LogicalResult {
        auto isDynamic = [&](Type type) { return cast<RankedTensorType>(type).isDynamicDim(op.getDim()); };
        if (isDynamic(op.getType()) || llvm::any_of(op.getOperandTypes(), isDynamic))
          return op.emitOpError() << "expected a static size along the dimension of a concatenation but got "
                                  << op.getType();
        return success();
      })
      .Default([](Operation *op) -> LogicalResult {
        bool hasTensor = llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
        if (hasTensor || op->getNumRegions() || op->getNumResults() != 1)
          return op->emitOpError("expected an op of the nstf dialect, or tensor code that the generic kernel template "
                                 "computes");
        return verifyScalarOp(op);
      });
}

bool nstf::isMovement(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic)
    return !isa<tensor::GenerateOp>(op);
  Block *body = generic.getBody();
  return !isReduction(op) && llvm::all_of(body->without_terminator(), llvm::IsaPred<arith::ConstantOp>);
}

bool nstf::isReduction(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getNumReductionLoops() > 0;
}

bool nstf::isRead(OpOperand &operand) {
  Operation *owner = operand.getOwner();
  if (isa<tensor::DimOp>(owner))
    return false;
  auto generic = dyn_cast<linalg::GenericOp>(owner);
  return !generic || !generic.isDpsInit(&operand) || generic.payloadUsesValueFromOperand(&operand);
}

bool nstf::readsOnce(OpOperand &operand) {
  if (isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ConcatOp, tensor::PadOp,
          tensor::InsertSliceOp>(operand.getOwner()))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(operand.getOwner());
  if (!generic)
    return false;
  // Two inputs that read one tensor through the same map count as one read, because TensorPull evaluates them once.
  AffineMap map = generic.getMatchingIndexingMap(&operand);
  for (OpOperand &other : generic->getOpOperands())
    if (other.get() == operand.get() && generic.getMatchingIndexingMap(&other) != map && isRead(other))
      return false;
  return map.isPermutation();
}
