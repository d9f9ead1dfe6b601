// The ping-pong schedule: two halves of a workgroup's waves alternate at the matrix cores.
#pragma once

#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <string>

namespace nstf::systolic {

/// Rewrites a pipelined loop as clusters between barriers, alternating between memory accesses and products. One half
/// of the waves runs one cluster ahead of the other: of the two waves on a SIMD one multiplies while the other moves
/// tiles. Precondition: no operation of the loop is in an overlap yet. Returns an empty string, or why the loop cannot
/// be rewritten; then nothing has changed.
std::string pingPong(mlir::scf::ForOp loop, KernelOp kernel, int64_t simds);

} // namespace nstf::systolic
