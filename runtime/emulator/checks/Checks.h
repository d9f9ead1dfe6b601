// The available checks, and the selection of checks.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace nstf::emulator::checks {

class Check;
struct CheckContext;

struct CheckInfo {
  std::string_view name;
  std::string_view finds; ///< for users
  std::unique_ptr<Check> (*make)(CheckContext &context);
  bool endsLaunch = false; ///< its findings are faults; other checks report on the instruction first
};

/// All checks; options, help and errors take their texts from here.
std::span<const CheckInfo> allChecks();
/// The names of all checks, "hazard:strict", "backward" and "all": "memory, uninit, … or all" with ", " and " or ".
std::string checkNames(std::string_view separator, std::string_view last);
/// One line for each of these names but "all": the name and what it finds.
std::string describeChecks();

/// A selection of checks.
class CheckSet {
public:
  /// Parses "memory,wait" or "all"; "" selects none. Throws std::invalid_argument naming `origin` ("--check",
  /// "NSTF_EMU_CHECK") for an unknown name.
  static CheckSet parse(std::string_view names, std::string_view origin);
  bool any() const { return wanted != 0; }
  /// Precondition: `check` is one of allChecks().
  bool has(const CheckInfo &check) const { return wanted >> (&check - allChecks().data()) & 1; }

  /// Set by the name "backward", which cannot be the only one: waves of a workgroup run in reverse order, the last
  /// first. This shows races that an atomic operation hides in the usual order.
  bool backward = false;
  /// Set by the name "hazard:strict": the hazard check's advice counts as findings.
  bool strictHazards = false;
  /// Findings at all places are kept, not only those at the first 50.
  bool allPlaces = false;

private:
  uint32_t wanted = 0; ///< one bit a check
};

} // namespace nstf::emulator::checks
