#include "runtime/emulator/run/Dispatch.h"
#include "runtime/emulator/decode/Target.h"
#include "runtime/emulator/device/DeviceModel.h"
#include "runtime/emulator/device/Occupancy.h"
#include "runtime/emulator/instructions/GlobalWaveSync.h"
#include "runtime/emulator/instructions/Monitor.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/run/LaunchMemory.h"
#include "runtime/emulator/run/ProgramCache.h"
#include "runtime/emulator/run/Scheduler.h"
#include "support/Escape.h"

#include <algorithm>
#include <stdexcept>

namespace nstf::emulator {
namespace {

[[noreturn]] void refuse(const Kernel &kernel, const std::string &why) {
  throw std::runtime_error(support::escape("kernel '" + kernel.name + "': " + why, support::longLimit));
}

uint64_t checkedItems(const Target &target, const LaunchArguments &arguments) {
  const Kernel &kernel = *arguments.kernel;
  uint64_t items = 1;
  for (uint32_t size : arguments.block) {
    if (!size || size > 1024)
      refuse(kernel, "expected block sizes from 1 to 1024 but got " + std::to_string(size));
    items *= size;
  }
  if (items > 1024)
    refuse(kernel, "expected at most 1024 work-items in a workgroup but got " + std::to_string(items));
  if (kernel.descriptor.wave32)
    refuse(kernel, "made for waves of 32 lanes, which " + target.name + " doesn't have");
  uint64_t ldsBytes = kernel.ldsSize + uint64_t(arguments.dynamicLds);
  if (ldsBytes > target.ldsBytes)
    refuse(kernel,
           "expected at most " + std::to_string(target.ldsBytes) + " bytes of LDS but got " + std::to_string(ldsBytes));
  if (arguments.kernargSize < kernel.kernargSize)
    refuse(kernel, "expected " + std::to_string(kernel.kernargSize) + " bytes of arguments but got " +
                       std::to_string(arguments.kernargSize));
  return items;
}

uint32_t scratchOf(const Kernel &kernel) {
  // Recursion and calls through pointers: the compiler doesn't know how much stack they need.
  constexpr size_t dynamicStack = 16 * 1024;
  return uint32_t((kernel.scratchSize + (kernel.descriptor.dynamicStack ? dynamicStack : 0) + 3) & ~size_t(3));
}

/// Workgroups that the chip holds at a time.
uint64_t residentsOf(const Target &target, const LaunchArguments &arguments, uint64_t items) {
  const DeviceModel &model = DeviceModel::of(target.name);
  const int64_t workgroups = occupancyOf(model, *arguments.kernel, uint32_t(items), arguments.dynamicLds).workgroups;
  return uint64_t(std::max<int64_t>(workgroups, 1)) * model.computeUnits;
}

} // namespace

void dispatch(const Target &target, Memory &memory, const LaunchArguments &arguments, const LaunchOptions &options) {
  const Kernel &kernel = *arguments.kernel;
  const uint64_t items = checkedItems(target, arguments);
  const uint64_t groups = uint64_t(arguments.grid[0]) * arguments.grid[1] * arguments.grid[2];
  if (!groups)
    return;
  std::shared_ptr<CachedProgram> cached = CachedProgram::of(target, *kernel.program, options.matrix);
  // A kernel with preloaded arguments begins 256 bytes further on; before it stands a prologue for old firmware.
  const MicroOp *entry = cached->decoded->at(kernel.entry + (kernel.descriptor.preloadDwords ? 256 : 0));
  if (!entry)
    refuse(kernel, "its entry is not in the code object's text");

  Launch launch = {};
  launch.target = &target;
  launch.kernel = &kernel;
  launch.arguments = &arguments;
  launch.program = cached->decoded.get();
  launch.entry = entry;
  launch.memory = &memory;
  launch.ldsBytes = uint32_t(kernel.ldsSize + arguments.dynamicLds);
  launch.scratchBytes = scratchOf(kernel);
  launch.wavesPerGroup = uint32_t((items + Wave::width - 1) / Wave::width);
  GlobalWaveSync waveSync(groups * launch.wavesPerGroup);
  launch.waveSync = &waveSync;

  const uint64_t scratchPerGroup = uint64_t(launch.scratchBytes) * Wave::width * launch.wavesPerGroup;
  const uint64_t residents = std::min(groups, residentsOf(target, arguments, items));
  LaunchMemory launchMemory(launch, memory, scratchPerGroup * residents);
  unsigned threads = options.monitor ? 1 : cached->usefulThreads(kernel, groups, usableThreads(options.threads));
  Scheduler scheduler(launch, options, groups, unsigned(std::min<uint64_t>(threads, residents)), residents,
                      launchMemory.scratch());
  if (options.monitor)
    options.monitor->launchBegins(launch);
  std::exception_ptr failure;
  try {
    cached->rememberTime(kernel, groups, scheduler.run());
  } catch (...) {
    failure = std::current_exception();
  }
  if (options.monitor)
    options.monitor->launchEnds(launch);
  if (failure)
    std::rethrow_exception(failure);
}

} // namespace nstf::emulator
