#include "runtime/emulator/hip_api/Checks.h"
#include "runtime/emulator/checks/Checker.h"
#include "runtime/emulator/hip_api/Statistics.h"

#include <iostream>

namespace nstf::emulator {

void dispatchChecked(Device &device, const LaunchArguments &launch, LaunchOptions options) {
  if (!device.checker)
    return dispatch(device.target, device.memory, launch, options);
  std::lock_guard lock(device.checking);
  checks::Checker &checker = *device.checker;
  options.monitor = &checker;
  options.alone = true;
  const size_t before = checker.findings().size();
  std::exception_ptr failure;
  try {
    dispatch(device.target, device.memory, launch, options);
  } catch (...) {
    failure = std::current_exception();
  }
  const auto &findings = checker.findings();
  for (size_t i = before; i < findings.size(); ++i)
    std::cerr << "error: " << findings[i].check << ": " << findings[i].text() << "\n";
  reportFindings(findings.size() - before);
  if (failure)
    std::rethrow_exception(failure);
  if (findings.size() > before)
    throw HipError(hipErrorLaunchFailure, findings[before].text(), true);
}

} // namespace nstf::emulator
