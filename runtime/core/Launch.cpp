// Launches one kernel, and reports the errors of a launch (nstf/Runtime.h).
#include "runtime/core/Device.h"

#include <cstring>

namespace nstf {
namespace {
// HIP_LAUNCH_PARAM_*: keys for passing a packed argument block.
void *const argumentsPointer = reinterpret_cast<void *>(1);
void *const argumentsSize = reinterpret_cast<void *>(2);
void *const argumentsEnd = reinterpret_cast<void *>(3);
} // namespace

Launch &Launch::addBytes(const void *bytes, size_t size, size_t alignment) {
  const size_t offset = (arguments.size() + alignment - 1) / alignment * alignment;
  arguments.resize(offset + size);
  std::memcpy(arguments.data() + offset, bytes, size);
  return *this;
}

Launch &Launch::addPointer(const Buffer &buffer, size_t offset) {
  if (offset > buffer.size())
    throw Error("argument " + std::to_string(arguments.size() / 8) + " of kernel " + kernel.name() + ": offset " +
                std::to_string(offset) + " is outside a buffer of " + std::to_string(buffer.size()) + " bytes");
  return addValue<uint64_t>(buffer.address() + offset);
}

void launch(const Backend &backend, Stream &stream, const Launch &one) {
  if (!one.kernel)
    throw Error("a launch has no kernel");
  backend.device()->activate();
  detail::submit(*backend.device(), stream, one);
}

void detail::submit(const Device &device, Stream &stream, const Launch &launch) {
  const HIPLibrary &hip = device.hip();
  // HIP copies the arguments before it returns.
  size_t size = launch.arguments.size();
  void *arguments = const_cast<uint8_t *>(launch.arguments.data());
  void *extra[] = {argumentsPointer, arguments, argumentsSize, &size, argumentsEnd};
  hip.check(hip.hipModuleLaunchKernel(launch.kernel.handle(), launch.grid[0], launch.grid[1], launch.grid[2],
                                      launch.block[0], launch.block[1], launch.block[2], launch.dynamicLds,
                                      stream.handle(), nullptr, extra),
            "launch of kernel " + launch.kernel.name() + " failed");
}

} // namespace nstf
