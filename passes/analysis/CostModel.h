// A cost model of kernels. It estimates the time of a kernel from its template, parameters, schedule and the chip's
// numbers alone; an estimate takes microseconds on the host and compiles and executes nothing.
//
//   CostModel model(templateKernel, target);
//   Cost cost = model.estimate({.parameters = {{"M", 512}, …}, .schedule = …});
//
// The model ranks parameters and schedules of one shape. A time is that of a first launch, without the overhead of
// launching. Workgroups fill the compute units in rounds, and the time is the sum over rounds of the round's prologue,
// its loops' blocks and its epilogue. The time of a block combines the latencies that it waits for and the busy time of
// each part of the chip that it uses. With perfect overlap the largest of them would be the block's time; because the
// overlap is imperfect, the model takes the root of the sum of their squares.
#pragma once

#include "passes/analysis/Costs.h"
#include "passes/analysis/KernelWork.h"

namespace nstf::systolic {

struct Cost {
  double microseconds = 0;
  std::string refusal; ///< why a pass would refuse the kernel, "expected … but got …"; empty: none would
  std::string limiter; ///< "latency", "matrix", "LDS", "issue", "L1", "L2", "MALL" or "HBM"
  int64_t workgroups = 0, rounds = 0;
  int64_t perComputeUnit = 0; ///< workgroups that fit at the same time
  int64_t registers = 0;      ///< of a lane, approximate
  int64_t ldsBytes = 0;

  bool isLegal() const { return refusal.empty(); }
};

class CostModel {
public:
  CostModel(KernelOp kernel, TargetView target) : kernel(kernel), target(target), costs(target) {
    instructions = target.matrixInstructions();
  }

  Cost estimate(const KernelQuery &query) const;
  /// Whether estimates depend on this field of the schedule.
  static bool judges(llvm::StringRef field) { return field == "waves" || field == "buffers"; }

private:
  KernelOp kernel;
  TargetView target;
  Costs costs;
  llvm::SmallVector<MatrixInstruction> instructions;
};

} // namespace nstf::systolic
