// The checks there are, and which of them are wanted.
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
  std::string_view finds; ///< for people
  std::unique_ptr<Check> (*make)(CheckContext &context);
  bool endsLaunch = false; ///< its findings are faults: what the others have to say of the instruction comes first
};

/// All checks; what is said of them anywhere (options, help, errors) comes from here.
std::span<const CheckInfo> allChecks();
/// Their names, "backward" and "all": "memory, uninit, … or all" with ", " and " or ".
std::string checkNames(std::string_view separator, std::string_view last);
/// A line for each, and for "backward": its name, what it finds.
std::string describeChecks();

/// Which checks are wanted.
class CheckSet {
public:
  /// From "memory,wait" or "all"; "" is none. Throws std::invalid_argument naming `origin` ("--check",
  /// "NSTF_EMU_CHECK") for a name there isn't.
  static CheckSet parse(std::string_view names, std::string_view origin);
  bool any() const { return wanted != 0; }
  /// `check`: one of allChecks().
  bool has(const CheckInfo &check) const { return wanted >> (&check - allChecks().data()) & 1; }

  /// "backward" among the names, not alone: the last wave of a workgroup goes first. Shows races that an atomic
  /// operation hides in the usual order.
  bool backward = false;

private:
  uint32_t wanted = 0; ///< a bit a check
};

} // namespace nstf::emulator::checks
