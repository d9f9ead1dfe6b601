// A guess at what was meant by a word that nobody knows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nstf::support {

/// The name among `known` that is nearest to `name`, as ", did you mean 'x'?"; empty where none is near.
std::string didYouMean(std::string_view name, const std::vector<std::string> &known);

} // namespace nstf::support
