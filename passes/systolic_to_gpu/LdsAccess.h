// LDS accesses of lowered kernels.
#pragma once

#include "mlir/IR/Operation.h"
#include "support/LdsPhases.h"
#include <optional>

namespace nstf {

/// On an amdgpu.sched_barrier: a part of a tile starts to go through LDS to other lanes here.
constexpr llvm::StringLiteral partAttributeName = "systolic.part";

struct LdsAccess {
  support::LdsDirection direction;
  mlir::Type type; ///< type of the data of a lane
};

/// nullopt if an operation does not read or write LDS.
std::optional<LdsAccess> getLdsAccess(mlir::Operation *op);

} // namespace nstf
