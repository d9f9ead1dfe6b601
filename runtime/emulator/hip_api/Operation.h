// What a stream can be asked to do, as values: run at once, or kept in a graph and run later.
#pragma once

#include "runtime/emulator/hip_api/Device.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/timing/DeviceTimeline.h"

#include <array>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

namespace nstf::emulator {

/// A kernel as hipFunction_t points at it.
struct Function {
  std::shared_ptr<const Program> program;
  const Kernel *kernel = nullptr;
};

struct KernelOperation {
  std::shared_ptr<const Program> program; // keeps the kernel loaded, whatever becomes of its module
  const Kernel *kernel = nullptr;
  dim3 grid, block;
  std::array<uint32_t, 3> remainder = {}; // work-items of the last workgroup in each dimension; 0: it is full
  uint32_t dynamicLds = 0;
  std::vector<std::byte> arguments; // the whole argument block, hidden arguments filled in
  std::shared_ptr<void> keep = {};  // device memory that hidden arguments point to
};
/// `height` rows of `width` bytes; one row for plain copies.
struct CopyOperation {
  void *destination = nullptr;
  const void *source = nullptr;
  size_t width = 0, height = 1, destinationPitch = 0, sourcePitch = 0;
  hipMemcpyKind kind = hipMemcpyDefault;
};
/// `height` rows of `count` elements of 1, 2 or 4 bytes.
struct FillOperation {
  void *destination = nullptr;
  uint32_t value = 0, elementSize = 1;
  size_t count = 0, height = 1, pitch = 0;
};
struct HostOperation {
  std::function<void()> call;
};
struct EmptyOperation {};

using Operation = std::variant<KernelOperation, CopyOperation, FillOperation, HostOperation, EmptyOperation>;

/// Throws HipError where a copy or fill names device memory that isn't there.
void check(const Operation &operation);
/// Runs it to its end, and says what it is to the timeline (a marker where nothing is timed). A kernel's fault becomes
/// HipError(hipErrorIllegalAddress or hipErrorLaunchFailure) with its text, and stays (DeviceFault).
timing::TimedOperation run(const Operation &operation);

} // namespace nstf::emulator
