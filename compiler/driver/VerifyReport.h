// The results of a verification: collected by the child process, printed by its parent.
#pragma once

#include "compiler/reference/Tolerance.h"
#include "nstf/EmulatorStatistics.h"

#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

namespace nstf {

/// The worst comparisons, and the emulator's counts of the kernels' instructions.
class VerifyReport {
public:
  /// Adds a comparison of `kind` "kernel", "output" or "state". The worst one for each name is kept.
  void add(const std::string &kind, const std::string &name, const reference::Comparison &comparison);
  /// Counts the instructions of every launch from now on, if the loaded library can (a libamdhip64 can't).
  void countLaunches(const std::string &library);
  VerifyReport() = default;
  VerifyReport(const VerifyReport &) = delete; // the emulator holds this object's address
  ~VerifyReport();

  /// {"compared": [{kind, name, count, error, largest, allowed}], "executed": [{kernel, launches, matrix, …}]}. An
  /// infinite error or NaN is null.
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

/// Prints a line for each comparison of a report for `target`. Returns how many exceed their tolerance.
int printReport(const std::string &target, const nlohmann::ordered_json &report, std::ostream &os);

} // namespace nstf
