// What an error about a word that nobody knows says of the words there are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nstf::support {

/// The name among `known` that is nearest to `name`, as ", did you mean 'x'?"; empty where none is near. As near as
/// with one letter wrong is a name that begins so.
std::string didYouMean(std::string_view name, const std::vector<std::string> &known);

/// What there is, for an error about something else: "a, b, c"; of names that are too many or too long for a line the
/// first, and how many there are, "a, b, … (61 in all)".
std::string listNames(const std::vector<std::string> &names);

} // namespace nstf::support
