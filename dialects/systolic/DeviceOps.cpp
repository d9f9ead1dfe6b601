// Verifiers of the operations between workgroups and between crews (DeviceOps.td).
#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace nstf::systolic;

LogicalResult ArriveOp::verify() {
  auto counters = cast<MemRefType>(getCounters().getType());
  if (counters.getRank() != 1 || !counters.getElementType().isInteger(32)) // arrive_c1
    return emitOpError() << "expected counters of i32 and rank 1 but got " << counters;
  return success();
}

std::optional<int64_t> CrewOp::getKnownCount() { return getConstantIntValue(getCount()); }

LogicalResult CrewOp::verify() {
  std::optional<int64_t> count = getKnownCount();
  if (!count)
    return success();
  if (*count < 1) // crew_c1
    return emitOpError() << "expected at least 1 crew but got " << *count;
  if (auto kernel = (*this)->getParentOfType<KernelOp>(); kernel && kernel.getCrews() != *count) // crew_c2
    return emitOpError() << "expected the kernel's " << kernel.getCrews() << " crews but got " << *count;
  return success();
}

LogicalResult CrewOp::canonicalize(CrewOp op, PatternRewriter &rewriter) {
  if (op.getKnownCount() != 1)
    return failure();
  rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(op, 0);
  return success();
}
