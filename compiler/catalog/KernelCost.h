// The cost model of a kernel as a template would make it, and the space in which that template may be tuned.
#pragma once

#include "compiler/target/Target.h"
#include "passes/analysis/CostModel.h"
#include "passes/nstf_to_systolic/Binding.h"

#include <map>
#include <string>
#include <vector>

namespace nstf {

/// Parameters and schedule of a template, and what the cost model says of them.
struct TuningCandidate {
  std::map<std::string, int64_t> parameters;
  support::Schedule schedule;
  systolic::Cost cost;

  /// "BK=64 BM=128 BN=128 waves=2x4"
  std::string str() const;
  bool isSame(const TuningCandidate &other) const {
    return parameters == other.parameters && schedule == other.schedule;
  }
};

class KernelCost {
public:
  /// `program`: of the template. All must outlive it.
  KernelCost(KernelOp region, const TemplateBinding &binding, systolic::KernelOp program, const Target &target);

  systolic::Cost estimate(int64_t tokens, const std::map<std::string, int64_t> &parameters,
                          const support::Schedule &schedule) const;

  /// All that `tune` of the template spans.
  struct Space {
    std::vector<TuningCandidate> legal; ///< the fastest first
    size_t size = 0;
    std::string refusal; ///< of the last one that a rule removed
  };
  /// Empty where the template says no `tune`.
  Space rank(int64_t tokens) const;

private:
  systolic::KernelQuery makeQuery(int64_t tokens) const;

  KernelOp region;
  const TemplateBinding &binding;
  systolic::KernelOp program;
  systolic::CostModel model;
};

} // namespace nstf
