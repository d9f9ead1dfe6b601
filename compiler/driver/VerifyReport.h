// What a verification found: gathered by the process that verifies, printed by the one that asked for it.
#pragma once

#include "compiler/reference/Tolerance.h"
#include "nstf/EmulatorStatistics.h"

#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

namespace nstf {

/// The worst comparisons, and what the emulator counted while the kernels ran.
class VerifyReport {
public:
  /// A comparison of `kind` "kernel", "output" or "state" under a name; the worst of each is kept.
  void add(const std::string &kind, const std::string &name, const reference::Comparison &comparison);
  /// Counts every launch from now on, where the loaded library can (a libamdhip64 can't).
  void countLaunches(const std::string &library);
  VerifyReport() = default;
  VerifyReport(const VerifyReport &) = delete; // the emulator knows its address
  ~VerifyReport();

  /// {"compared": [{kind, name, count, error, largest, allowed}], "executed": [{kernel, launches, matrix, …}]}.
  /// Sizes of numbers are plain; an error that is no number is null.
  nlohmann::ordered_json toJson() const;

private:
  struct Worst {
    reference::Comparison comparison;
    int64_t count = 0;
  };
  struct Executed {
    int64_t launches = 0;
    NSTFDispatchStatistics sum = {};
  };
  static void note(void *self, const NSTFDispatchStatistics *launch);

  std::map<std::string, std::map<std::string, Worst>> worst; // by kind, then name
  std::map<std::string, Executed> executed;                  // by kernel
  NSTFObserveDispatches *observe = nullptr;
};

/// A line for each comparison of a report for `target`. Returns how many are past their tolerance.
int printReport(const std::string &target, const nlohmann::ordered_json &report, std::ostream &os);

} // namespace nstf
