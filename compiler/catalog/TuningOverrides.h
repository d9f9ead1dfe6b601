// The user's overrides of a tuning row, as NAME=VALUE: template parameters and schedule fields.
#pragma once

#include "support/Schedule.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nstf {

struct TuningOverrides {
  std::map<std::string, int64_t> parameters;
  support::Schedule schedule;

  bool empty() const { return parameters.empty() && schedule == support::Schedule(); }
  /// Adds "BM=16" or "waves=2x4"; a unit is optional. Returns the error, "expected … but got …", or "" on success.
  std::string add(std::string_view text);
  /// All overrides in the format of `add`, in a fixed order.
  std::vector<std::string> getTexts() const;
};

} // namespace nstf
