// What a user puts over the values of a tuning row, as NAME=VALUE: parameters of a template, and fields of its
// schedule.
#pragma once

#include "support/Schedule.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nstf {

struct TuningWishes {
  std::map<std::string, int64_t> parameters;
  support::Schedule schedule;

  bool empty() const { return parameters.empty() && schedule == support::Schedule(); }
  /// Adds "BM=16" or "waves=2x4", whose unit may be left out. Returns what is wrong with it, "expected … but got …"; ""
  /// where all is well.
  std::string add(std::string_view text);
  /// What `add` would take, in a fixed order.
  std::vector<std::string> getTexts() const;
};

} // namespace nstf
