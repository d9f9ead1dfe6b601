// Rewrites a loop that adds up products as a software pipeline over LDS buffers, according to its plan.
#pragma once

#include "passes/analysis/Loops.h"

namespace nstf::systolic {

/// Replaces the loop by a new one, which keeps the plan. Precondition: the plan has no fault (CheckPlan.h).
void makePipeline(const ProductLoop &product, KernelOp kernel, PlanAttr plan);

} // namespace nstf::systolic
