// The findings of all launches, grouped by check, rule and place.
#pragma once

#include "runtime/emulator/run/Finding.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace nstf::emulator::checks {

/// The first finding of a rule at a place is followed by a count of the others there, which are kept, too, as far as
/// there is room. The same finding is kept once, with a count. Of advice, the list keeps each rule's first.
class FindingList {
public:
  static constexpr size_t usualPlaces = 50, allPlaces = 100'000, othersAtPlace = 50;
  explicit FindingList(size_t maxPlaces = usualPlaces) : maxPlaces(maxPlaces) {}

  void add(Finding finding);
  const std::vector<Finding> &all() const { return findings; }
  const std::vector<Finding> &allAdvice() const { return advice; }
  /// Number of findings at other places, beyond `maxPlaces`, that were not kept.
  uint64_t dropped() const { return left; }

private:
  using Key = std::tuple<std::string, uint64_t, std::string, std::string>; // kernel, place, check, rule
  size_t maxPlaces;
  std::vector<Finding> findings, advice;
  std::map<Key, std::vector<size_t>> places; ///< their findings, the first one first
  uint64_t left = 0;
};

} // namespace nstf::emulator::checks
