// Loops of products that do more than add them up: what goes to LDS is loaded a round ahead.
#pragma once

#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <string>

namespace nstf::systolic {

/// What a loop writes to LDS, and the loads it is made of.
struct StagedLoads {
  mlir::scf::ForOp loop;
  llvm::SmallVector<LoadOp> loads;
  mlir::Operation *written = nullptr; ///< behind which nobody waits for the loads: the barrier after the last write

  /// Empty, or what keeps the loads from being made a round ahead.
  std::string match(mlir::scf::ForOp candidate);

  /// Makes the loop anew, with the loads of the next round behind those writes and their barrier. Loads past the last
  /// round are none.
  mlir::scf::ForOp moveAhead();
};

} // namespace nstf::systolic
