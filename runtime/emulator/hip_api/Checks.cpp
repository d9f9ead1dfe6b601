#include "runtime/emulator/hip_api/Checks.h"
#include "runtime/emulator/checks/Checker.h"
#include "runtime/emulator/hip_api/Statistics.h"
#include "support/Escape.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <unistd.h>

namespace nstf::emulator {

bool exitsWithFindings() {
  const char *variable = std::getenv("NSTF_EMU_CHECK_EXIT");
  const std::string_view value = variable ? variable : "";
  if (value != "" && value != "0" && value != "1")
    throw std::runtime_error("NSTF_EMU_CHECK_EXIT: expected 0 or 1 but got \"" + support::escape(value) + "\"");
  return value == "1";
}

void dispatchChecked(Device &device, const LaunchArguments &launch, LaunchOptions options) {
  if (!device.checker)
    return dispatch(device.target, device.memory, launch, options);
  std::lock_guard lock(device.checking);
  checks::Checker &checker = *device.checker;
  options.monitor = &checker;
  options.alone = true;
  const size_t before = checker.findings().size();
  auto print = [&] {
    const std::vector<Finding> &findings = checker.findings();
    for (size_t i = before; i < findings.size(); ++i)
      if (findings[i].isFirst)
        std::cerr << "error: " << findings[i].check << ": " << findings[i].text() << std::endl;
    reportFindings(findings.size() - before);
  };
  try {
    dispatch(device.target, device.memory, launch, options);
  } catch (...) {
    print();
    throw;
  }
  print();
}

namespace {

constexpr int statusOfFindings = 2; // as nstf-emu's

void summarize(const checks::Checker &checker) {
  size_t places = 0;
  for (const Finding &finding : checker.findings())
    places += finding.isFirst;
  if (places)
    std::cerr << "nstf-emulator: the checks found something at " << places + checker.dropped()
              << (places + checker.dropped() == 1 ? " place:\n" : " places:\n");
  for (const Finding &finding : checker.findings())
    if (finding.isFirst) {
      const uint64_t times = finding.count + finding.others;
      std::cerr << "  " << finding.check << (finding.rule.empty() ? "" : " ") << finding.rule << ": " << finding.place()
                << ": " << times << (times == 1 ? " time\n" : " times\n");
    }
  if (checker.dropped())
    std::cerr << "  and at " << checker.dropped() << " places more\n";
  for (const Finding &finding : checker.advice())
    std::cerr << "  " << finding.check << " advice: " << finding.text() << "\n";
  std::cerr << std::flush;
}

/// Called when the program exits, unless by _exit or a signal.
void onExit(int status, void *) {
  Device *device = Device::getIfMade();
  if (!device || !device->checker)
    return;
  std::unique_lock lock(device->checking, std::try_to_lock);
  if (!lock) // a thread that is still launching
    return;
  summarize(*device->checker);
  if (status || device->checker->findings().empty() || !exitsWithFindings())
    return;
  std::cout << std::flush;
  std::fflush(nullptr);
  _exit(statusOfFindings);
}

/// Registers onExit when the library is loaded. Exit handlers run in reverse order, so those that the program registers
/// later run before onExit.
[[gnu::constructor]] void registerOnExit() { on_exit(onExit, nullptr); }

} // namespace

} // namespace nstf::emulator
