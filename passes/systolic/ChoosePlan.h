// Chooses the plan of a loop of products, given the registers, the LDS and the L1 lines of a compute unit.
#pragma once

#include "passes/systolic/CheckPlan.h"

namespace nstf::systolic {

struct PlanChoice {
  PlanAttr plan;
  std::string text;    ///< a description for remarks
  std::string refusal; ///< why the loop stays unchanged; empty if it changes
};

PlanChoice choosePlan(const ProductLoop &product, KernelOp kernel, const LoopResources &resources,
                      nstf::TargetView target);

/// The distance in blocks between a load and its products.
int64_t getDistance(PlanAttr plan);

} // namespace nstf::systolic
