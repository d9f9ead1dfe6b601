#include "compiler/compress/AssignPrecision.h"

#include <algorithm>
#include <numeric>

using namespace nstf::compress;

/// The choices on the lower convex hull, from the least loss to the least cost.
static std::vector<size_t> findHull(const std::vector<Choice> &choices) {
  std::vector<size_t> order(choices.size()), hull;
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    return choices[a].loss != choices[b].loss ? choices[a].loss < choices[b].loss : choices[a].cost < choices[b].cost;
  });
  auto getSlope = [&](size_t from, size_t to) {
    return (choices[to].loss - choices[from].loss) / (choices[from].cost - choices[to].cost);
  };
  for (size_t next : order) {
    if (!hull.empty() && choices[next].cost >= choices[hull.back()].cost)
      continue; // larger loss at no lower cost
    while (hull.size() > 1 && getSlope(hull[hull.size() - 2], hull.back()) >= getSlope(hull.back(), next))
      hull.pop_back();
    hull.push_back(next);
  }
  return hull;
}

PrecisionSteps::PrecisionSteps(std::vector<std::vector<Choice>> matrices) {
  double cost = 0, loss = 0;
  for (size_t matrix = 0; matrix < matrices.size(); ++matrix) {
    const std::vector<Choice> &choices = matrices[matrix];
    std::vector<size_t> hull = findHull(choices);
    first.push_back(hull.front());
    cost += choices[hull.front()].cost;
    loss += choices[hull.front()].loss;
    for (size_t i = 1; i < hull.size(); ++i)
      steps.push_back({matrix, hull[i - 1], hull[i], choices[hull[i]].cost - choices[hull[i - 1]].cost,
                       choices[hull[i]].loss - choices[hull[i - 1]].loss});
  }
  // Along a hull the loss per saved cost increases, so the steps of a matrix stay in order.
  std::ranges::stable_sort(steps, [](const Step &a, const Step &b) { return a.loss * -b.cost < b.loss * -a.cost; });
  costs.push_back(cost);
  losses.push_back(loss);
  for (const Step &step : steps) {
    costs.push_back(cost += step.cost);
    losses.push_back(loss += step.loss);
  }
}

std::vector<size_t> PrecisionSteps::getChoices(size_t count) const {
  std::vector<size_t> choices = first;
  for (size_t i = 0; i < count; ++i)
    choices[steps[i].matrix] = steps[i].choice;
  return choices;
}

size_t PrecisionSteps::countWithin(double loss) const {
  auto past = std::ranges::upper_bound(losses, loss);
  return past == losses.begin() ? 0 : size_t(past - losses.begin()) - 1;
}

std::vector<size_t> PrecisionSteps::getChoicesBeyond(size_t count, double loss) const {
  std::vector<size_t> choices = getChoices(count);
  double sum = losses[count];
  for (size_t i = count; i < steps.size(); ++i)
    if (const Step &step = steps[i]; choices[step.matrix] == step.before && sum + step.loss <= loss) {
      choices[step.matrix] = step.choice;
      sum += step.loss;
    }
  return choices;
}

std::vector<size_t> PrecisionSteps::getChoicesWithin(double cost) const {
  size_t count = 0;
  while (count < steps.size() && costs[count] > cost)
    ++count;
  std::vector<size_t> choices = getChoices(count);
  double left = cost - costs[count];
  while (count-- > 0)
    if (const Step &step = steps[count]; choices[step.matrix] == step.choice && -step.cost <= left) {
      choices[step.matrix] = step.before;
      left += step.cost;
    }
  return choices;
}
