// Finds the part of a stored tensor that a weight is.

#include "compiler/description/StoredPart.h"
#include "support/Escape.h"

#include <algorithm>
#include <iterator>

using namespace nstf;
using namespace nstf::checkpoint;
using namespace nstf::description;

int64_t nstf::description::evaluateInteger(const Expression &expression, const Scope &scope,
                                           const support::Place &place, const std::string &what, int64_t minimum) {
  ParameterValue value;
  try {
    value = expression.evaluate(scope);
  } catch (const support::InputError &error) {
    place.error(error.message);
  }
  const int64_t *number = std::get_if<int64_t>(&value);
  if (!number || *number < minimum)
    place.error("expected " + what + " to be a whole number of at least " + std::to_string(minimum) + " but got " +
                describe(value));
  return *number;
}

bool nstf::description::groupsInto(const std::vector<int64_t> &parts, const std::vector<int64_t> &shape) {
  size_t part = 0;
  for (int64_t extent : shape) {
    int64_t product = 1;
    while (product < extent && part < parts.size())
      if (__builtin_mul_overflow(product, parts[part++], &product))
        return false;
    if (product != extent)
      return false;
  }
  return std::all_of(parts.begin() + part, parts.end(), [](int64_t extent) { return extent == 1; });
}

static StridedView getSlice(const StridedView &stored, const TensorDescription::Slice &slice, const std::string &what,
                            const Scope &numbers) {
  int64_t axis = evaluateInteger(slice.axis, numbers, slice.place, "the axis of the slice of " + what, 0);
  int64_t from = evaluateInteger(slice.from, numbers, slice.place, "the start of the slice of " + what, 0);
  int64_t count = evaluateInteger(slice.count, numbers, slice.place, "the count of the slice of " + what);
  if (axis >= static_cast<int64_t>(stored.sizes.size()))
    slice.place.error(what + ": expected the axis of a slice to be less than " + std::to_string(stored.sizes.size()) +
                      " but got " + std::to_string(axis));
  if (count > stored.sizes[axis] || from > stored.sizes[axis] - count)
    slice.place.error(what + ": expected a slice of the " + std::to_string(stored.sizes[axis]) + " indices of axis " +
                      std::to_string(axis) + " but got " + std::to_string(count) + " from " + std::to_string(from) +
                      " on");
  return stored.slice(axis, from, count);
}

void nstf::description::locateStored(const TensorDescription &tensor, const Scope &numbers, ExpandedTensor &expanded) {
  std::string what = "'" + support::escape(tensor.name) + "'";
  auto fail = [&](const std::string &message) { tensor.place.error(what + ": " + message); };
  auto extent = [&](const Expression &value) {
    return evaluateInteger(value, numbers, tensor.place, "an extent of the stored shape of " + what);
  };
  expanded.stored = expanded.shape;
  if (!tensor.stored.empty()) {
    expanded.stored.clear();
    expanded.regrouped = true;
    std::transform(tensor.stored.begin(), tensor.stored.end(), std::back_inserter(expanded.stored), extent);
  } else if (tensor.transposed) {
    std::reverse(expanded.stored.begin(), expanded.stored.end());
  }
  int64_t elements = 1;
  for (int64_t size : expanded.stored)
    if (__builtin_mul_overflow(elements, size, &elements))
      fail(support::describeShape(expanded.stored) + " has more elements than can be counted");
  expanded.view = StridedView::of(expanded.stored);
  if (tensor.slice)
    expanded.view = getSlice(expanded.view, *tensor.slice, what, numbers);
  if (tensor.transposed) {
    if (expanded.stored.size() != 2)
      fail("expected two extents of what is transposed but got " + support::describeShape(expanded.stored));
    expanded.view = expanded.view.transpose();
  }
  if (!groupsInto(expanded.view.sizes, expanded.shape))
    fail("expected a stored part of shape " + support::describeShape(expanded.shape) + " but got " +
         support::describeShape(expanded.view.sizes));
}
