// Rows that a template stores as numbers, stored as codes.
#pragma once

#include "dialects/nstf/NSTF.h"
#include "dialects/systolic/Systolic.h"

namespace nstf {

/// The op that makes codes of a region's rows, where another op of it makes these; null where there is none.
QuantizeOp findRowQuantizer(KernelOp region);

/// Makes the program find the largest magnitude of each row that it stores to its buffer `codes`, in a loop like the
/// one that stores, and store codes. Their scales go to the buffer `scales`, of one number a row.
mlir::LogicalResult quantizeRows(systolic::KernelOp program, QuantizeOp op, unsigned codes, unsigned scales);

} // namespace nstf
