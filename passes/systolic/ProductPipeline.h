// A loop that adds up products, as its plan says: a software pipeline over buffers of LDS.
#pragma once

#include "passes/analysis/Loops.h"

namespace nstf::systolic {

/// Replaces the loop; the new one has the plan too. Precondition: the plan has no fault (CheckPlan.h).
void makePipeline(const ProductLoop &product, KernelOp kernel, PlanAttr plan);

} // namespace nstf::systolic
