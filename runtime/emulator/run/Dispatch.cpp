#include "runtime/emulator/run/Dispatch.h"
#include "runtime/emulator/instructions/Monitor.h"
#include "runtime/emulator/run/LaunchDriver.h"
#include "runtime/emulator/run/ProgramCache.h"
#include "runtime/emulator/run/Scheduler.h"

#include <algorithm>

namespace nstf::emulator {

void dispatch(const Target &target, Memory &memory, const LaunchArguments &arguments, const LaunchOptions &options) {
  LaunchDriver driver(target, memory, arguments, options);
  const uint64_t groups = driver.groups();
  if (!groups)
    return;
  CachedProgram &program = driver.program();
  unsigned threads =
      options.monitor ? 1 : program.usefulThreads(*arguments.kernel, groups, usableThreads(options.threads));
  Scheduler scheduler(driver, unsigned(std::min<uint64_t>(threads, driver.residents())));
  if (options.monitor)
    options.monitor->launchBegins(driver.launch());
  std::exception_ptr failure;
  try {
    program.rememberTime(*arguments.kernel, groups, scheduler.run());
    driver.finish();
  } catch (...) {
    failure = std::current_exception();
  }
  if (options.monitor)
    options.monitor->launchEnds(driver.launch());
  if (failure)
    std::rethrow_exception(failure);
}

} // namespace nstf::emulator
