// How long a kernel would take: from its template, parameters and schedule and the chip's numbers alone, in
// microseconds of this machine, nothing compiled or executed.
//
//   CostModel model(templateKernel, target);
//   Cost cost = model.estimate({.parameters = {{"M", 512}, …}, .schedule = …});
//
// It is there to rank parameters and schedules of one shape. A time is that of a first launch, without what launching
// costs: of the rounds in which workgroups fill the compute units the sum of each round's beginning, its loops' blocks
// and its end. A block takes as long as what it waits for, and as the parts of the chip that it keeps busy: the larger
// of them alone where they overlap, and as these overlap imperfectly the root of the sum of their squares.
#pragma once

#include "passes/analysis/Costs.h"
#include "passes/analysis/KernelWork.h"

namespace nstf::systolic {

struct Cost {
  double microseconds = 0;
  std::string refusal; ///< the rule by which a pass would refuse the kernel, "expected … but got …"; empty: none would
  std::string limiter; ///< "latency", "matrix", "LDS", "issue", "L1", "L2", "MALL" or "HBM"
  int64_t workgroups = 0, rounds = 0;
  int64_t perComputeUnit = 0; ///< workgroups that fit
  int64_t registers = 0;      ///< of a lane, about
  int64_t ldsBytes = 0;

  bool isLegal() const { return refusal.empty(); }
};

class CostModel {
public:
  CostModel(KernelOp kernel, TargetView target) : kernel(kernel), target(target), costs(target) {
    instructions = target.matrixInstructions();
  }

  Cost estimate(const KernelQuery &query) const;

private:
  KernelOp kernel;
  TargetView target;
  Costs costs;
  llvm::SmallVector<MatrixInstruction> instructions;
};

} // namespace nstf::systolic
