// Checks a plan against its loop (dialects/systolic/Plan.td, plan_c7 to plan_c15).
#pragma once

#include "passes/systolic/LoopResources.h"

namespace nstf::systolic {

/// An action of a loop in its present form, and the operation that performs it.
struct LoopAction {
  PlanAction action;
  mlir::Operation *op;
};
llvm::SmallVector<LoopAction> listRound(const ProductLoop &product);
llvm::SmallVector<PlanAction> describeRound(const ProductLoop &product);

/// Whether a round, without its loads, begins with a barrier, `writes` writes and another barrier, and has no third
/// one.
bool isWrittenFirst(llvm::ArrayRef<PlanAction> round, size_t writes);

/// Empty, or the violated rule: "expected … but got …".
std::string findFault(PlanAttr plan, const ProductLoop &product, const LoopResources &resources);

} // namespace nstf::systolic
