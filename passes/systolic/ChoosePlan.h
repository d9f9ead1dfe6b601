// Which plan a loop of products gets, by what a compute unit has of registers, LDS and lines of the L1.
#pragma once

#include "passes/systolic/CheckPlan.h"

namespace nstf::systolic {

struct PlanChoice {
  PlanAttr plan;
  std::string text;    ///< what it does, for people
  std::string refusal; ///< why the loop stays as it stands; empty where it does not
};

PlanChoice choosePlan(const ProductLoop &product, KernelOp kernel, const LoopResources &resources,
                      nstf::TargetView target);

/// Blocks between a load and its products.
int64_t getDistance(PlanAttr plan);

} // namespace nstf::systolic
