#include "nstf/StopStrings.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace nstf::runtime {

StopStrings::StopStrings(std::vector<std::string> strings) : strings(std::move(strings)) {
  for (const std::string &stop : this->strings)
    if (stop.empty())
      throw std::runtime_error("expected stop strings of at least one character but got an empty one");
}

std::string StopStrings::push(std::string_view text) {
  if (isFound)
    return "";
  held += text;
  // Takes the string that is complete first, and of several the longest: the result does not depend on how the text is
  // cut into tokens.
  std::size_t end = std::string::npos, begin = end;
  for (const std::string &stop : strings)
    if (std::size_t place = held.find(stop); place != std::string::npos)
      std::tie(end, begin) = std::min(std::pair(end, begin), std::pair(place + stop.size(), place));
  if (end != std::string::npos) {
    isFound = true;
    return std::exchange(held, "").substr(0, begin);
  }
  std::size_t keep = 0;
  for (const std::string &stop : strings)
    for (std::size_t length = std::min(stop.size() - 1, held.size()); length > keep; --length)
      if (held.ends_with(std::string_view(stop).substr(0, length)))
        keep = length;
  std::string certain = held.substr(0, held.size() - keep);
  held.erase(0, held.size() - keep);
  return certain;
}

std::string StopStrings::finish() {
  isFound = false;
  return std::exchange(held, "");
}

} // namespace nstf::runtime
