// Whether a plan and a loop go together (SystolicPlan.td, plan_c7 to plan_c15).
#pragma once

#include "passes/systolic/LoopResources.h"

namespace nstf::systolic {

/// What a loop does in each of its rounds as it stands, and which operation does it.
struct LoopAction {
  PlanAction action;
  mlir::Operation *op;
};
llvm::SmallVector<LoopAction> listRound(const ProductLoop &product);
llvm::SmallVector<PlanAction> describeRound(const ProductLoop &product);

/// Whether a round, but for its loads, begins with a barrier, so many writes and another barrier, and has no third one.
bool isWrittenFirst(llvm::ArrayRef<PlanAction> round, size_t writes);

/// Empty, or which rule is broken and by what: "expected … but got …".
std::string findFault(PlanAttr plan, const ProductLoop &product, const LoopResources &resources);

} // namespace nstf::systolic
