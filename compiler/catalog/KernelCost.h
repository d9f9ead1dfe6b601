// The cost model's estimates for a kernel made from a template, and for the template's tuning space.
#pragma once

#include "compiler/target/Target.h"
#include "passes/analysis/CostModel.h"
#include "passes/nstf_to_systolic/Binding.h"

#include <map>
#include <string>
#include <vector>

namespace nstf {

/// Parameters and schedule of a template, with the cost model's estimate.
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
  /// `program` is the template's kernel. All arguments must outlive the KernelCost.
  KernelCost(KernelOp region, const TemplateBinding &binding, systolic::KernelOp program, const Target &target);

  systolic::Cost estimate(int64_t tokens, const std::map<std::string, int64_t> &parameters,
                          const support::Schedule &schedule) const;

  /// The candidates of the template's `tune`.
  struct Space {
    std::vector<TuningCandidate> legal; ///< fastest first
    size_t size = 0;
    std::string refusal;                                      ///< of the last candidate that a rule removed
    std::map<std::string, std::vector<std::string>> unjudged; ///< of fields that the cost model knows nothing of
  };
  /// Empty if the template has no `tune`.
  Space rank(int64_t tokens) const;

private:
  systolic::KernelQuery makeQuery(int64_t tokens) const;

  KernelOp region;
  const TemplateBinding &binding;
  systolic::KernelOp program;
  systolic::CostModel model;
};

} // namespace nstf
