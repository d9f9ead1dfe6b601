// Accesses to LDS, as lowered kernels make them.
#pragma once

#include "mlir/IR/Operation.h"
#include "support/LdsPhases.h"
#include <optional>

namespace nstf {

/// Of an amdgpu.sched_barrier: a part of a tile goes through LDS to other lanes from here on.
constexpr llvm::StringLiteral partAttributeName = "systolic.part";

struct LdsAccess {
  support::LdsDirection direction;
  mlir::Type type; ///< of what a lane reads or writes
};

/// Nothing where an operation does not read or write LDS.
std::optional<LdsAccess> getLdsAccess(mlir::Operation *op);

} // namespace nstf
