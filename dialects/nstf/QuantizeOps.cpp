// The verifier of dequantize. Numbers are those of QuantizeOps.td.
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
  }
  llvm_unreachable("all planes are listed");
}

LogicalResult DequantizeOp::verify() {
  IntFormatAttr format = getFormat();
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
