// Finds the part of a stored tensor that a weight is.
#pragma once

#include "compiler/description/GraphExpansion.h"

namespace nstf::description {

/// Sets `stored`, `regrouped` and `view` of a weight whose shape is known, from its description's `stored`, slice and
/// transposition. Throws support::InputError with the line if that is not a part of the stored tensor or doesn't fit
/// the weight's shape.
void locateStored(const TensorDescription &tensor, const Scope &numbers, ExpandedTensor &expanded);

/// Whether each extent of `shape` is the product of consecutive `parts`, in order: [4, 3, 5] group into [12, 5].
bool groupsInto(const std::vector<int64_t> &parts, const std::vector<int64_t> &shape);

/// A whole number of at least `minimum`. Throws support::InputError at `place`; the message calls the number `what`.
int64_t evaluateInteger(const Expression &expression, const Scope &scope, const support::Place &place,
                        const std::string &what, int64_t minimum = 1);

} // namespace nstf::description
