// Accesses to LDS, as lowered kernels make them.
#pragma once

#include "mlir/IR/Operation.h"
#include "support/LdsPhases.h"
#include <optional>

namespace nstf {

struct LdsAccess {
  support::LdsDirection direction;
  mlir::Type type; ///< of what a lane reads or writes
};

/// Nothing where an operation does not read or write LDS.
std::optional<LdsAccess> getLdsAccess(mlir::Operation *op);

} // namespace nstf
