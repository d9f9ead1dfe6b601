// Rewrites a loop that does more than add up products according to its plan, with loads rounds ahead.
#pragma once

#include "passes/analysis/Loops.h"

namespace nstf::systolic {

/// Replaces the loop by a planned one. Precondition: the plan has no fault (CheckPlan.h).
void moveLoadsAhead(const ProductLoop &product, PlanAttr plan);

} // namespace nstf::systolic
