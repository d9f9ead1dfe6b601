// Rules of the operations between workgroups (SystolicDeviceOps.td).
#include "dialects/systolic/Systolic.h"

using namespace mlir;
using namespace nstf::systolic;

LogicalResult ArriveOp::verify() {
  auto counters = cast<MemRefType>(getCounters().getType());
  if (counters.getRank() != 1 || !counters.getElementType().isInteger(32)) // arrive_c1
    return emitOpError() << "expected counters of i32 and rank 1 but got " << counters;
  return success();
}
