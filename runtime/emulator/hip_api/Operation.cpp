#include "runtime/emulator/hip_api/Operation.h"
#include "runtime/emulator/hip_api/Checks.h"
#include "runtime/emulator/hip_api/Statistics.h"
#include "runtime/emulator/hip_api/Timing.h"
#include "runtime/emulator/run/Statistics.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace nstf::emulator {
namespace {

enum class Side { Host, Device, Unknown };

/// A pointer outside device memory passes as host memory if the kind allows host memory.
void checkRange(const void *pointer, size_t bytes, Side side, const char *what) {
  if (!bytes)
    return;
  require(pointer != nullptr, "a pointer is null");
  Memory &memory = Device::get().memory;
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  Region region;
  const bool known = memory.find(address, region);
  if (known ? region.contains(address, bytes) : side != Side::Device)
    return;
  throw HipError(hipErrorInvalidValue,
                 "the " + std::string(what) + " of " + std::to_string(bytes) +
                     " bytes is not inside one allocation: " + memory.describe(address),
                 true);
}

size_t extent(size_t width, size_t height, size_t pitch) { return width && height ? (height - 1) * pitch + width : 0; }

void checkCopy(const CopyOperation &copy) {
  if (copy.kind < hipMemcpyHostToHost || copy.kind > hipMemcpyDefault)
    throw HipError(hipErrorInvalidMemcpyDirection, "memcpy kind " + std::to_string(int(copy.kind)));
  require(copy.height <= 1 || (copy.width <= copy.destinationPitch && copy.width <= copy.sourcePitch),
          "a row is wider than its pitch");
  auto side = [&](hipMemcpyKind a, hipMemcpyKind b) {
    return copy.kind == a || copy.kind == b ? Side::Device : Side::Unknown;
  };
  checkRange(copy.destination, extent(copy.width, copy.height, copy.destinationPitch),
             side(hipMemcpyHostToDevice, hipMemcpyDeviceToDevice), "copy's destination");
  checkRange(copy.source, extent(copy.width, copy.height, copy.sourcePitch),
             side(hipMemcpyDeviceToHost, hipMemcpyDeviceToDevice), "copy's source");
}

void runCopy(const CopyOperation &copy) {
  std::shared_lock lock(Device::get().running);
  checkCopy(copy);
  auto *to = static_cast<char *>(copy.destination);
  auto *from = static_cast<const char *>(copy.source);
  for (size_t row = 0; row < copy.height && copy.width; ++row) {
    char *rowTo = to + row * copy.destinationPitch;
    const char *rowFrom = from + row * copy.sourcePitch;
    Device::get().memory.hostCopies(rowTo, rowFrom, copy.width);
    std::memmove(rowTo, rowFrom, copy.width);
  }
}

void checkFill(const FillOperation &fill) {
  require(fill.elementSize == 1 || fill.elementSize == 2 || fill.elementSize == 4, "element size must be 1, 2 or 4");
  checkRange(fill.destination, extent(fill.count * fill.elementSize, fill.height, fill.pitch), Side::Device,
             "memset's destination");
}

void runFill(const FillOperation &fill) {
  std::shared_lock lock(Device::get().running);
  checkFill(fill);
  for (size_t row = 0; row < fill.height; ++row) {
    char *to = static_cast<char *>(fill.destination) + row * fill.pitch;
    Device::get().memory.hostWrites(to, fill.count * fill.elementSize);
    if (fill.elementSize == 1) {
      std::memset(to, int(fill.value), fill.count);
      continue;
    }
    for (size_t i = 0; i < fill.count; ++i)
      std::memcpy(to + i * fill.elementSize, &fill.value, fill.elementSize);
  }
}

timing::TimedOperation runKernel(const KernelOperation &operation) {
  Device &device = Device::get();
  std::shared_lock lock(device.running);
  LaunchArguments launch{};
  launch.kernel = operation.kernel;
  const dim3 &grid = operation.grid, &block = operation.block;
  launch.grid[0] = grid.x, launch.grid[1] = grid.y, launch.grid[2] = grid.z;
  launch.block[0] = block.x, launch.block[1] = block.y, launch.block[2] = block.z;
  launch.dynamicLds = operation.dynamicLds;
  launch.kernarg = operation.arguments.data();
  launch.kernargSize = operation.arguments.size();
  std::ranges::copy(operation.remainder, launch.remainder);
  LaunchOptions options = LaunchOptions::fromEnvironment();
  options.model = &device.model;
  options.services = &device.services;
  options.dynamicStack = device.dynamicStack;
  try {
    ExecutionStatistics counted;
    const bool isCounted = wantsStatistics();
    if (isCounted)
      options.statistics = &counted;
    auto start = std::chrono::steady_clock::now();
    timing::LaunchPrediction prediction;
    if (device.timing)
      prediction = device.timing->dispatch(device, launch, options);
    else
      dispatchChecked(device, launch, options);
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (isCounted)
      reportStatistics(operation, counted, seconds.count(), prediction.executionNs * 1e-9);
    return device.timing ? device.timing->timed(prediction) : timing::TimedOperation();
  } catch (const Fault &fault) {
    const HipError error(fault.illegalAddress ? hipErrorIllegalAddress : hipErrorLaunchFailure, fault.what(), true);
    reportFault();
    if (DeviceFault::stays())
      device.fault.set(error);
    throw error;
  } catch (const HipError &) {
    throw;
  } catch (const std::runtime_error &error) {
    throw HipError(hipErrorLaunchOutOfResources, error.what(), true);
  }
}
} // namespace

void check(const Operation &operation) {
  if (const auto *copy = std::get_if<CopyOperation>(&operation))
    checkCopy(*copy);
  else if (const auto *fill = std::get_if<FillOperation>(&operation))
    checkFill(*fill);
}

timing::TimedOperation run(const Operation &operation) {
  Device::get().fault.check();
  DeviceTiming *timing = Device::get().timing.get();
  if (const auto *kernel = std::get_if<KernelOperation>(&operation))
    return runKernel(*kernel);
  if (const auto *copy = std::get_if<CopyOperation>(&operation)) {
    runCopy(*copy);
    if (timing) {
      timing->overwritten(copy->destination, extent(copy->width, copy->height, copy->destinationPitch));
      return timing->timed(*copy);
    }
  } else if (const auto *fill = std::get_if<FillOperation>(&operation)) {
    runFill(*fill);
    if (timing) {
      timing->overwritten(fill->destination, extent(fill->count * fill->elementSize, fill->height, fill->pitch));
      return timing->timed(*fill);
    }
  } else if (const auto *host = std::get_if<HostOperation>(&operation)) {
    host->call(); // without a lock: the program may call HIP from it
  }
  return {};
}

} // namespace nstf::emulator
