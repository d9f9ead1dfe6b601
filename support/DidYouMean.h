// Hints for error messages about unknown names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nstf::support {

/// ", did you mean 'x'?" with the name among `known` that is nearest to `name`, or "" if none is near. A name that
/// begins with `name` counts as one letter away.
std::string didYouMean(std::string_view name, const std::vector<std::string> &known);

/// The known names for an error message: "a, b, c". If they don't fit on a line, the first ones and the total, "a, b, …
/// (61 in all)".
std::string listNames(const std::vector<std::string> &names);

} // namespace nstf::support
