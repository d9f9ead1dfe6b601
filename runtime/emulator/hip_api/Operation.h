// Operations of a stream as values: they run at once, or are stored in a graph and run later.
#pragma once

#include "runtime/emulator/hip_api/Device.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/timing/timeline/DeviceTimeline.h"

#include <array>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

namespace nstf::emulator {

/// The object behind a hipFunction_t.
struct Function {
  std::shared_ptr<const Program> program;
  const Kernel *kernel = nullptr;
};

struct KernelOperation {
  std::shared_ptr<const Program> program; // keeps the kernel loaded after its module is unloaded
  const Kernel *kernel = nullptr;
  dim3 grid, block;
  std::array<uint32_t, 3> remainder = {}; // work-items of the last workgroup in each dimension; 0: it is full
  uint32_t dynamicLds = 0;
  std::vector<std::byte> arguments; // the whole argument block, with hidden arguments
  std::shared_ptr<void> keep = {};  // owns device memory that hidden arguments point to
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

/// Throws HipError when a copy or fill names device memory that does not exist.
void check(const Operation &operation);
/// Runs the operation to its end and returns its description for the timeline (a marker if timing is off). A kernel's
/// fault becomes HipError(hipErrorIllegalAddress or hipErrorLaunchFailure) with its text, and persists (DeviceFault).
timing::TimedOperation run(const Operation &operation);

} // namespace nstf::emulator
