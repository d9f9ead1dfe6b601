// Which part of a stored tensor a weight is.
#pragma once

#include "compiler/description/GraphExpansion.h"

namespace nstf::description {

/// Fills in `stored`, `regrouped` and `view` of a weight whose shape is there already, from what its description says
/// is stored, sliced and transposed. Throws support::InputError at its line where that is no part of what is stored or
/// doesn't fit the weight's shape.
void locateStored(const TensorDescription &tensor, const Scope &numbers, ExpandedTensor &expanded);

/// Whether each extent of `shape` is the product of some neighbours in `parts`, in their order: [4, 3, 5] are [12, 5].
bool groupsInto(const std::vector<int64_t> &parts, const std::vector<int64_t> &shape);

/// A whole number of at least `minimum`. Throws support::InputError at `place` that calls it `what`.
int64_t evaluateInteger(const Expression &expression, const Scope &scope, const support::Place &place,
                        const std::string &what, int64_t minimum = 1);

} // namespace nstf::description
