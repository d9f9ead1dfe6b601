// Result types and verifiers of quantize, dequantize and dequantize_rows. Constraint numbers are those of
// QuantizeOps.td.
#include "dialects/nstf/NSTF.h"

using namespace mlir;
using namespace nstf;

Value DequantizeOp::getPlane(Plane plane) {
  switch (plane) {
  case Plane::codes:
    return getCodes();
  case Plane::high:
    return getHigh();
  case Plane::scales:
    return getScales();
  case Plane::zeros:
    return getZeros();
  case Plane::order: // the order applies to the product's other operand
    return {};
  }
  llvm_unreachable("all planes are listed");
}

LogicalResult DequantizeOp::verify() {
  CodeFormat format = getFormat();
  int64_t rows = getType().getDimSize(0);
  // dequantize_c5
  if (getType().getDimSize(1) != format.getColumns())
    return emitOpError() << "expected a result of " << format.getColumns() << " columns but got " << getType();
  // dequantize_c2
  if (bool(getHigh()) != (format.getHighBits() != 0))
    return emitOpError() << "expected high bits for codes of 5 and 6 bits only but got "
                         << (getHigh() ? "some" : "none") << " for " << format.getBits();
  // dequantize_c1, dequantize_c2, dequantize_c3, dequantize_c4
  for (Plane plane : {Plane::codes, Plane::high, Plane::scales, Plane::zeros}) {
    Value value = getPlane(plane);
    if (value && value.getType() != format.getPlaneType(plane, rows))
      return emitOpError() << "expected " << stringifyPlane(plane) << " of type " << format.getPlaneType(plane, rows)
                           << " but got " << value.getType();
  }
  return success();
}

// QuantizeOp

LogicalResult QuantizeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                           QuantizeOp::Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  int64_t group = adaptor.getGroup(), columns = x.getDimSize(1);
  // quantize_c2
  if (group < 1 || columns % group != 0)
    return emitOptionalError(location, "expected groups of at least 1 column that divide the ", columns,
                             " of x but got ", group);
  types.push_back(x.clone(adaptor.getType()));
  types.push_back(RankedTensorType::get({x.getDimSize(0), columns / group}, Float32Type::get(context)));
  return success();
}

// DequantizeRowsOp

LogicalResult DequantizeRowsOp::verify() {
  RankedTensorType codes = getCodes().getType(), scales = getScales().getType();
  // dequantize_rows_c1
  int64_t groups = scales.getDimSize(1);
  if (codes.getDimSize(0) != scales.getDimSize(0) || groups < 1 || codes.getDimSize(1) % groups != 0)
    return emitOpError() << "expected a scale for each row and group of columns of " << codes << " but got " << scales;
  // dequantize_rows_c2
  if (getType().getShape() != codes.getShape())
    return emitOpError() << "expected a result of the shape of " << codes << " but got " << getType();
  return success();
}
