// A loop that does more than add up products, as its plan says: loads are rounds ahead.
#pragma once

#include "passes/analysis/Loops.h"

namespace nstf::systolic {

/// Makes the loop anew, with the plan. Precondition: the plan has no fault (CheckPlan.h).
void moveLoadsAhead(const ProductLoop &product, PlanAttr plan);

} // namespace nstf::systolic
