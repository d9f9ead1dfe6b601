// Two halves of a workgroup that take turns at the matrix cores.
#pragma once

#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <string>

namespace nstf::systolic {

/// Makes a pipelined loop one of clusters between barriers, memory work and products in turns, through which one half
/// of the waves runs one cluster ahead of the other: of the two waves on a SIMD one multiplies while the other moves
/// tiles. Precondition: nothing in the loop stands in an overlap yet. Empty, or why not; then nothing has changed.
std::string pingPong(mlir::scf::ForOp loop, KernelOp kernel, int64_t simds);

} // namespace nstf::systolic
