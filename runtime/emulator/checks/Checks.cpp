#include "runtime/emulator/checks/Checks.h"
#include "runtime/emulator/checks/Checker.h"
#include "support/DidYouMean.h"
#include "support/Escape.h"

#include <algorithm>
#include <stdexcept>

namespace nstf::emulator::checks {
namespace {

constexpr CheckInfo table[] = {
    {"memory", "accesses outside allocations, after free, misaligned", makeMemoryCheck, true},
    {"uninit", "undefined values that reach an address, a branch or memory", makeUninitCheck},
    {"race", "accesses of several waves that nothing orders", makeRaceCheck},
    {"hazard", "instructions closer than the hardware can take", makeHazardCheck},
    {"wait", "results used before an s_waitcnt proves them there", makeWaitCheck},
};

constexpr std::string_view backwardName = "backward", hazardName = "hazard", strictName = "hazard:strict";

} // namespace

std::span<const CheckInfo> allChecks() { return table; }

std::string checkNames(std::string_view separator, std::string_view last) {
  std::string names;
  for (const CheckInfo &check : table) {
    (names += names.empty() ? "" : separator) += check.name;
    if (check.name == hazardName)
      (names += separator) += strictName;
  }
  names += separator;
  names += backwardName;
  return (names += last) + "all";
}

std::string describeChecks() {
  std::string text;
  for (const CheckInfo &check : table) {
    text += "  " + std::string(check.name) + ": " + std::string(check.finds) + "\n";
    if (check.name == hazardName)
      text += "  " + std::string(strictName) + ": also those that kernels of AMD's libraries have and run right\n";
  }
  return text + "  " + std::string(backwardName) +
         ": beside others, a workgroup's last wave goes first: shows races that an atomic hides\n";
}

static std::string guess(std::string_view name) {
  std::vector<std::string> known = {"all", std::string(backwardName), std::string(strictName)};
  for (const CheckInfo &check : table)
    known.emplace_back(check.name);
  return support::didYouMean(name, known);
}

CheckSet CheckSet::parse(std::string_view names, std::string_view origin) {
  CheckSet set;
  while (!names.empty()) {
    const size_t comma = names.find(',');
    const std::string_view name = names.substr(0, comma);
    names = comma == names.npos ? "" : names.substr(comma + 1);
    const bool isStrict = name == strictName;
    const CheckInfo *check = std::ranges::find(table, isStrict ? hazardName : name, &CheckInfo::name);
    set.strictHazards |= isStrict;
    if (check != std::end(table))
      set.wanted |= 1u << (check - table);
    else if (name == "all")
      set.wanted = (1u << std::size(table)) - 1;
    else if (name == backwardName)
      set.backward = true;
    else
      throw std::invalid_argument(std::string(origin) + ": expected " + checkNames(", ", " or ") + " but got '" +
                                  support::escape(name) + "'" + guess(name));
  }
  if (set.backward && !set.any())
    throw std::invalid_argument(std::string(origin) +
                                ": expected a check beside 'backward', such as race, but got none");
  return set;
}

} // namespace nstf::emulator::checks
