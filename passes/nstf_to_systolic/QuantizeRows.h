// Stores the rows that a template computes as codes.
#pragma once

#include "dialects/nstf/NSTF.h"
#include "dialects/systolic/Systolic.h"

namespace nstf {

/// The op that quantises a region's rows, if another op of the region computes these rows; else null.
QuantizeOp findRowQuantizer(KernelOp region);

/// Changes the program so that it stores codes to its buffer `codes`. A loop like the one that stores finds the largest
/// magnitude of each row. The scales go to the buffer `scales`, one number for each row.
mlir::LogicalResult quantizeRows(systolic::KernelOp program, QuantizeOp op, unsigned codes, unsigned scales);

} // namespace nstf
