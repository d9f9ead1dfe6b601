// Chooses which matrices get fewer bits: those with the smallest loss per saved cost.
//
// The losses of single matrices add up to nearly the loss of all, so they can be measured one by one. Each matrix
// begins with its most exact choice and goes to cheaper ones along the lower hull of its points (cost, loss). The steps
// of all matrices are sorted by loss per saved cost, smallest first.
#pragma once

#include <cstddef>
#include <vector>

namespace nstf::compress {

/// A choice for a matrix: its cost and its loss.
struct Choice {
  double cost, loss;
};

class PrecisionSteps {
public:
  /// `matrices`: the choices of each matrix, at least one.
  explicit PrecisionSteps(std::vector<std::vector<Choice>> matrices);

  size_t size() const { return steps.size(); }
  /// The choice of each matrix after the first `count` steps.
  std::vector<size_t> getChoices(size_t count) const;
  double getCost(size_t count) const { return costs[count]; }
  /// The sum of the matrices' own losses after `count` steps.
  double getLoss(size_t count) const { return losses[count]; }
  /// The largest number of steps after which the loss is at most `loss`; 0 if there is none.
  size_t countWithin(double loss) const;
  /// The choices after `count` steps, and then after those later steps with which the sum of losses stays at most
  /// `loss`. Steps that would exceed it are skipped, with the later steps of the same matrix.
  std::vector<size_t> getChoicesBeyond(size_t count, double loss) const;
  /// The choices after as many steps as are needed for a cost of at most `cost`, without the steps that turn out to be
  /// unnecessary: the last one may save more than was needed. Precondition: after all steps the cost is at most `cost`.
  std::vector<size_t> getChoicesWithin(double cost) const;

private:
  struct Step {
    size_t matrix, before, choice;
    double cost, loss; ///< the changes by the step
  };
  std::vector<size_t> first;
  std::vector<Step> steps;
  std::vector<double> costs, losses; ///< after each number of steps
};

} // namespace nstf::compress
