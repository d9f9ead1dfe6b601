// Which matrices get the fewer bits: those that lose the least for what they save.
//
// Losses of matrices alone add up to nearly that of all, so they are told apart one by one: from the choice that loses
// least, each matrix goes to cheaper ones along the lower hull of its points (cost, loss), and of all such steps the
// one of the smallest loss for what it saves comes first.
#pragma once

#include <cstddef>
#include <vector>

namespace nstf::compress {

/// What a matrix may become: what that takes, and what it loses.
struct Choice {
  double cost, loss;
};

class PrecisionSteps {
public:
  /// Of matrices, each with a choice or more.
  explicit PrecisionSteps(std::vector<std::vector<Choice>> matrices);

  size_t size() const { return steps.size(); }
  /// The choice of each matrix after the first `count` steps.
  std::vector<size_t> getChoices(size_t count) const;
  double getCost(size_t count) const { return costs[count]; }
  /// The sum of all matrices' alone.
  double getLoss(size_t count) const { return losses[count]; }
  /// The most steps whose loss is at most `loss`, none where all lose more.
  size_t countWithin(double loss) const;
  /// The choices after `count` steps and those later ones with which all lose at most `loss`: one that is too large is
  /// left out, and what follows it of its matrix.
  std::vector<size_t> getChoicesBeyond(size_t count, double loss) const;
  /// The choices of as many steps as it takes to cost at most `cost`, less those that can be taken back then: the last
  /// one may have saved more than was needed. Precondition: all steps together cost no more.
  std::vector<size_t> getChoicesWithin(double cost) const;

private:
  struct Step {
    size_t matrix, before, choice;
    double cost, loss; ///< what changes
  };
  std::vector<size_t> first;
  std::vector<Step> steps;
  std::vector<double> costs, losses; ///< after each count of steps
};

} // namespace nstf::compress
